"""The reader of h5_api_test's output, on the shapes that occur in it."""

from hdf5_output import read_outcomes

OUTPUT = """\
**********************************************
*               API File Tests               *
**********************************************

Testing H5Fcreate                                                      PASSED
Testing H5Fopen                                                       
  Testing H5Fopen in read-only mode                                    PASSED
  Testing H5Fopen in read-write mode                                  *FAILED*
    couldn't open file 'x.h5'
Testing H5Fopen                                                        PASSED
*              API Group Tests               *
Testing H5Gcreate many groups                                         
 1/2 2/2 PASSED
Testing H5Gflush                                                       -SKIP-
    API functions for group aren't supported
*              API Async Tests               *

 -SKIP-
"""


def test_every_shape():
    assert read_outcomes(OUTPUT) == {
        "API File Tests: H5Fcreate": "passed",
        "API File Tests: H5Fopen / H5Fopen in read-only mode": "passed",
        "API File Tests: H5Fopen / H5Fopen in read-write mode": "failed: couldn't open file 'x.h5'",
        "API File Tests: H5Fopen": "passed",
        "API Group Tests: H5Gcreate many groups": "passed",
        "API Group Tests: H5Gflush": "skipped: API functions for group aren't supported",
        "API Async Tests": "skipped",
    }


def test_a_name_that_comes_again_gets_a_number():
    line = "Testing x                                                              PASSED\n"
    assert list(read_outcomes(line * 2)) == [": x", ": x #2"]


def test_a_crash_shows_where():
    assert read_outcomes("Testing x      \n") == {": x": "no outcome"}
