int H5open(void);

int main(void) {
    return H5open() == 0;
}
