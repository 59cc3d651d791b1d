#include "base/secrets.hpp"

#include <gtest/gtest.h>

namespace quarry {
namespace {

using Arguments = std::vector<std::string>;

TEST(SecretsTest, ValuesOfSecretOptionsAreHidden) {
    EXPECT_EQ(without_secrets({"prog", "--password", "hunter2", "--out", "a.h5"}),
              (Arguments{"prog", "--password", "***", "--out", "a.h5"}));
    EXPECT_EQ(without_secrets({"prog", "--api-key=abc", "AWS_SECRET_ACCESS_KEY=xyz", "-x"}),
              (Arguments{"prog", "--api-key=***", "AWS_SECRET_ACCESS_KEY=***", "-x"}));
    EXPECT_EQ(without_secrets({"prog", "--token", "--verbose"}),
              (Arguments{"prog", "--token", "--verbose"}));
}

TEST(SecretsTest, UrlsLosePasswordsAndSignatures) {
    EXPECT_EQ(url_without_secrets("https://me:pw@host/a.h5"), "https://me:***@host/a.h5");
    EXPECT_EQ(url_without_secrets("https://me@host/a.h5"), "https://me@host/a.h5");
    EXPECT_EQ(url_without_secrets("https://h/a?part=1&X-Amz-Signature=ff&sig=aa#x"),
              "https://h/a?part=1&X-Amz-Signature=***&sig=***");
    EXPECT_EQ(url_without_secrets("s3://bucket/key@home"), "s3://bucket/key@home");
}

TEST(SecretsTest, OrdinaryArgumentsStay) {
    const Arguments ordinary{"python", "-c", "print(1==1)",       "keyboard.h5", "--keys", "a",
                             "",       "-",  "x=https://h/a?b=c", "--author",    "me"};
    EXPECT_EQ(without_secrets(ordinary), ordinary);
}

}  // namespace
}  // namespace quarry
