#include "common/support/config.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/support/log.h"
#include "common/support/log_flags.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace muster {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

bool HasColon(const std::string& text) { return absl::StrContains(text, ':'); }

// A program with an option of each type.
struct Program {
  std::string job;
  std::string listen = "gpu-1:7070";
  int64_t jobs_max = 16;
  absl::Duration recovery = absl::Seconds(30);
  bool insecure = false;
  std::string store = "sqlite";
  Config config{"muster-coordinator", "Gives ranks to the workers of jobs."};
  std::map<std::string, std::string> variables = {};

  Program() {
    config.AllowFile("CoordinatorConfiguration");
    config.AddString({.name = "job", .help = "Which job.", .placeholder = "NAME", .letter = 'j'},
                     &job);
    config.AddString({.name = "listen", .help = "Where workers dial.", .placeholder = "HOST:PORT"},
                     &listen, {.accepts = HasColon, .wanted = "HOST:PORT"});
    config.AddInt({.name = "jobs-max", .help = "How many jobs.", .letter = 'n'}, &jobs_max,
                  {1, 1000});
    config.AddDuration({.name = "recovery", .help = "The budget."}, &recovery,
                       {absl::Seconds(1), absl::Hours(1)});
    config.AddBool({.name = "insecure", .help = "No certificates.", .letter = 'i'}, &insecure);
    config.AddChoice({.name = "store", .help = "What keeps decisions."}, &store,
                     {"sqlite", "memory"});
  }

  absl::Status Parse(const std::vector<std::string>& args) {
    return config.Parse(args, [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      if (found == variables.end()) return std::nullopt;
      return found->second;
    });
  }

  // The option `name` as "value source origin".
  std::string Effective(const std::string& name) const {
    for (const EffectiveValue& option : config.Effective()) {
      if (option.name == name) {
        return absl::StrCat(option.value, " ", ConfigSourceName(option.source), " ", option.origin);
      }
    }
    return "not declared";
  }
};

// A file that is gone after the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) { std::ofstream(path_) << text; }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  const std::string path_ =
      absl::StrCat(testing::TempDir(), "config_test_", DrawNonZero64(), ".yaml");
};

// Expects that `args` are refused with `message` as the whole text.
void ExpectRefused(const std::vector<std::string>& args, const std::string& message) {
  Program program;
  const absl::Status status = program.Parse(args);
  EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, message));
}

// --- Precedence ----------------------------------------------------------------------------------

TEST(ConfigTest, WithoutAnySourceDefaultsHold) {
  Program program;
  ASSERT_THAT(program.Parse({}), IsOk());

  EXPECT_EQ(program.job, "");
  EXPECT_EQ(program.listen, "gpu-1:7070");
  EXPECT_EQ(program.jobs_max, 16);
  EXPECT_EQ(program.recovery, absl::Seconds(30));
  EXPECT_FALSE(program.insecure);
  EXPECT_EQ(program.store, "sqlite");
}

TEST(ConfigTest, AFlagBeatsTheEnvironmentBeatsTheFileBeatsTheDefault) {
  const TemporaryFile file("recovery: 3s\njobs-max: 3\nstore: memory\n");
  Program program;
  program.variables = {
      {"MUSTER_CONFIG", file.path()}, {"MUSTER_RECOVERY", "2s"}, {"MUSTER_JOBS_MAX", "2"}};

  ASSERT_THAT(program.Parse({"--recovery=1s"}), IsOk());

  EXPECT_EQ(program.recovery, absl::Seconds(1));
  EXPECT_EQ(program.jobs_max, 2);
  EXPECT_EQ(program.store, "memory");
  EXPECT_EQ(program.Effective("recovery"), "1s flag --recovery");
  EXPECT_EQ(program.Effective("jobs-max"), "2 environment MUSTER_JOBS_MAX");
  EXPECT_EQ(program.Effective("store"), "memory file " + file.path() + ":3");
  EXPECT_EQ(program.Effective("listen"), "gpu-1:7070 default ");
  EXPECT_EQ(program.Effective("config"), file.path() + " environment MUSTER_CONFIG");
}

TEST(ConfigTest, EveryOptionHasItsVariable) {
  Program program;
  program.variables = {{"MUSTER_JOB", "wan"},         {"MUSTER_LISTEN", "gpu-2:7071"},
                       {"MUSTER_JOBS_MAX", "5"},      {"MUSTER_RECOVERY", "4s"},
                       {"MUSTER_INSECURE", "true"},   {"MUSTER_STORE", "memory"},
                       {"MUSTER_EPOCH", "not ours 7"}};
  ASSERT_THAT(program.Parse({}), IsOk());

  for (const EffectiveValue& option : program.config.Effective()) {
    if (option.name == "config") continue;
    EXPECT_EQ(option.source, ConfigSource::kEnvironment) << option.name;
    EXPECT_EQ(option.origin, VariableName(option.name));
    EXPECT_EQ(option.value, program.variables.at(option.origin));
  }
}

TEST(ConfigTest, AWrongValueIsNotReplacedByAnotherSource) {
  const TemporaryFile file("recovery: 3s\n");
  Program program;
  program.variables = {{"MUSTER_RECOVERY", ""}};

  const absl::Status status = program.Parse({"--config", file.path()});

  EXPECT_THAT(status, HasKind(ErrorKind::kConfigInvalid));
  EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument,
                               "environment MUSTER_RECOVERY: '' is empty; want a duration from 1s "
                               "to 1h, such as 30s, 1m30s or 250ms"));
}

TEST(ConfigTest, TheProcessEnvironmentIsRead) {
  ASSERT_EQ(setenv("MUSTER_CONFIG_TEST_VARIABLE", "set", 1), 0);
  EXPECT_EQ(ProcessEnvironment("MUSTER_CONFIG_TEST_VARIABLE"), "set");
  ASSERT_EQ(unsetenv("MUSTER_CONFIG_TEST_VARIABLE"), 0);
  EXPECT_EQ(ProcessEnvironment("MUSTER_CONFIG_TEST_VARIABLE"), std::nullopt);
}

// --- Flags ---------------------------------------------------------------------------------------

TEST(ConfigTest, FlagsComeInEveryForm) {
  const std::vector<std::vector<std::string>> forms = {
      {"--jobs-max", "7"}, {"--jobs-max=7"}, {"-n", "7"}, {"-n7"}, {"-n=7"}};
  for (const std::vector<std::string>& form : forms) {
    Program program;
    ASSERT_THAT(program.Parse(form), IsOk()) << form.front();
    EXPECT_EQ(program.jobs_max, 7) << form.front();
    EXPECT_EQ(program.Effective("jobs-max"), "7 flag --jobs-max");
  }
}

TEST(ConfigTest, ASwitchTakesNoWordAfterIt) {
  for (const char* form : {"--insecure", "--insecure=true", "-i", "-i=true"}) {
    Program program;
    ASSERT_THAT(program.Parse({form, "--job", "wan"}), IsOk()) << form;
    EXPECT_TRUE(program.insecure) << form;
    EXPECT_EQ(program.job, "wan");
  }
  Program program;
  program.variables = {{"MUSTER_INSECURE", "true"}};
  ASSERT_THAT(program.Parse({"--insecure=false"}), IsOk());
  EXPECT_FALSE(program.insecure);
}

TEST(ConfigTest, AValueMayHoldEqualSignsAndOneDash) {
  Program program;
  ASSERT_THAT(program.Parse({"--job=a=b", "--listen", "-:1"}), IsOk());

  EXPECT_EQ(program.job, "a=b");
  EXPECT_EQ(program.listen, "-:1");
}

TEST(ConfigTest, WrongFlagsAreRefusedByName) {
  ExpectRefused({"--jbo", "wan"}, "flag '--jbo' is not known");
  ExpectRefused({"--jbo=wan"}, "flag '--jbo' is not known");
  ExpectRefused({"-x"}, "flag '-x' is not known");
  ExpectRefused({"--JOB=wan"}, "flag '--JOB' is not known");
  ExpectRefused({"--=wan"}, "flag '--' is not known");
  ExpectRefused({"--job=a", "-j", "b"}, "flag --job is given twice; want it once");
  ExpectRefused({"--job"}, "flag --job: no value follows; want some text");
  ExpectRefused({"--job", "--insecure"}, "flag --job: no value follows; want some text");
  ExpectRefused({"--job="}, "flag --job: '' is empty; want some text");
  ExpectRefused({"--job", ""}, "flag --job: '' is empty; want some text");
}

TEST(ConfigTest, AnUnknownFlagHasAKindOfItsOwn) {
  EXPECT_THAT(Program().Parse({"--jbo"}), HasKind(ErrorKind::kConfigUnknown));
  EXPECT_THAT(Program().Parse({"--job"}), HasKind(ErrorKind::kConfigInvalid));
}

TEST(ConfigTest, WrongValuesAreRefusedWithWhatIsWanted) {
  ExpectRefused({"--jobs-max=0"},
                "flag --jobs-max: '0' is too small; want a whole number from 1 to 1000");
  ExpectRefused({"--recovery=30"},
                "flag --recovery: '30' has no unit; want a duration from 1s to 1h, such as 30s, "
                "1m30s or 250ms");
  ExpectRefused({"--insecure=maybe"},
                "flag --insecure: 'maybe' is neither true nor false; want true or false");
  ExpectRefused({"--store=etcd"},
                "flag --store: 'etcd' is none of the choices; want one of sqlite, memory");
  ExpectRefused({"--listen=7070"}, "flag --listen: '7070' cannot be used; want HOST:PORT");
}

TEST(ConfigTest, ALongOrStrangeValueIsShownCutAndEscaped) {
  ExpectRefused({"--listen=" + std::string(81, 'x')},
                "flag --listen: '" + std::string(80, 'x') + "...' cannot be used; want HOST:PORT");
  ExpectRefused({"--listen=a\nb"}, "flag --listen: 'a\\nb' cannot be used; want HOST:PORT");
}

TEST(ConfigTest, ARequiredOptionMayComeFromAnySource) {
  for (const char* variable : {"", "gpu-3:7072"}) {
    std::string coordinator;
    Config config("muster-worker", "Joins a job.");
    config.AddString({.name = "coordinator", .help = "Whom to dial.", .required = true},
                     &coordinator);
    const absl::Status status =
        config.Parse({}, [variable](const std::string&) -> std::optional<std::string> {
          if (*variable == '\0') return std::nullopt;
          return variable;
        });
    if (*variable == '\0') {
      EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument,
                                   "--coordinator is missing; want it as a flag or as "
                                   "MUSTER_COORDINATOR: some text"));
    } else {
      EXPECT_THAT(status, IsOk());
      EXPECT_EQ(coordinator, "gpu-3:7072");
    }
  }
}

// --- Words that are no flags ---------------------------------------------------------------------

TEST(ConfigTest, ArgumentsAndFlagsMayBeMixed) {
  Program program;
  program.config.AllowArguments("TYPE [NAME]", 1, 2);
  ASSERT_THAT(program.Parse({"workers", "-j", "wan", "-"}), IsOk());

  EXPECT_THAT(program.config.arguments(), ElementsAre("workers", "-"));
  EXPECT_EQ(program.job, "wan");
}

TEST(ConfigTest, TheNumberOfArgumentsIsHeld) {
  ExpectRefused({"workers"},
                "muster-coordinator: 'workers' is one word too many; want: muster-coordinator "
                "[FLAG...]");
  Program none;
  none.config.AllowArguments("TYPE [NAME]", 1, 2);
  EXPECT_THAT(none.Parse({}), StatusIs(StatusCode::kInvalidArgument,
                                       "muster-coordinator: 0 of 1 words are there; want: "
                                       "muster-coordinator [FLAG...] TYPE [NAME]"));
  Program many;
  many.config.AllowArguments("TYPE [NAME]", 1, 2);
  EXPECT_THAT(many.Parse({"a", "b", "c"}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("'c' is one word too many")));
}

TEST(ConfigTest, WhatFollowsTwoDashesIsTheCommandUntouched) {
  Program program;
  program.config.WantCommand("COMMAND [ARGUMENT...]");
  ASSERT_THAT(program.Parse({"--job", "wan", "--", "train", "--job", "x", "--", "--help"}), IsOk());

  EXPECT_THAT(program.config.command(), ElementsAre("train", "--job", "x", "--", "--help"));
  EXPECT_FALSE(program.config.help_wanted());
  EXPECT_EQ(program.job, "wan");
}

TEST(ConfigTest, ACommandIsThereWhereItIsWantedAndNowhereElse) {
  ExpectRefused({"--", "train"},
                "muster-coordinator takes no command after --; want: muster-coordinator "
                "[FLAG...]");
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{}, std::vector<std::string>{"--"}}) {
    Program program;
    program.config.WantCommand("COMMAND");
    EXPECT_THAT(program.Parse(args), StatusIs(StatusCode::kInvalidArgument,
                                              "muster-coordinator: no command after --; want: "
                                              "muster-coordinator [FLAG...] -- COMMAND"));
  }
}

// --- The file ------------------------------------------------------------------------------------

TEST(ConfigTest, AnUnknownKeyIsRefusedWithItsLine) {
  for (const char* key : {"recovry", "config", "job_max"}) {
    const TemporaryFile file(absl::StrCat("job: wan\n", key, ": 30s\n"));
    Program program;
    const absl::Status status = program.Parse({"--config", file.path()});
    EXPECT_THAT(status, HasKind(ErrorKind::kConfigUnknown));
    EXPECT_THAT(status,
                StatusIs(StatusCode::kInvalidArgument,
                         absl::StrCat("file ", file.path(), ":2: key '", key, "' is not known")));
  }
}

TEST(ConfigTest, AWrongValueInTheFileIsRefusedWithItsLine) {
  const TemporaryFile file("job: wan\nstore:\n");
  Program program;

  EXPECT_THAT(program.Parse({"--config", file.path()}),
              StatusIs(StatusCode::kInvalidArgument,
                       absl::StrCat("file ", file.path(),
                                    ":2: key store: '' is empty; want one of sqlite, memory")));
}

TEST(ConfigTest, AFileThatIsNotThereIsAnError) {
  EXPECT_THAT(Program().Parse({"--config=/nowhere/muster.yaml"}),
              StatusIs(StatusCode::kNotFound, HasSubstr("/nowhere/muster.yaml")));
}

TEST(ConfigTest, WithoutAllowanceThereIsNoFile) {
  std::string job;
  Config config("muster", "Talks to a coordinator.");
  config.AddString({.name = "job", .help = "Which job."}, &job);

  EXPECT_THAT(config.Parse({"--config=x"}), HasKind(ErrorKind::kConfigUnknown));
}

// --- Help ----------------------------------------------------------------------------------------

TEST(ConfigTest, HelpIsWantedWhateverElseIsThere) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"--help"}, {"-h"}, {"--jbo", "-h"}, {"--job", "a", "--help"}}) {
    Program program;
    EXPECT_THAT(program.Parse(args), IsOk());
    EXPECT_TRUE(program.config.help_wanted());
  }
}

TEST(ConfigTest, HelpSaysEverythingAboutAnOption) {
  int64_t ranks = 4;
  std::string job;
  bool wide = false;
  std::string output = "table";
  Config config("muster run", "Runs a job on this machine.");
  config.AddInt({.name = "ranks", .help = "How many.", .placeholder = "N", .letter = 'n'}, &ranks,
                {1, 64});
  config.AddString({.name = "job-name", .help = "Which job.", .required = true}, &job);
  config.AddBool({.name = "wide", .help = "All columns."}, &wide);
  config.AddString({.name = "mesh", .help = "One mesh."}, &job);
  config.AddChoice({.name = "output", .help = "Which form."}, &output, {"table", "json"});
  config.AllowArguments("[FILE]", 0, 1);
  config.WantCommand("COMMAND [ARGUMENT...]");

  EXPECT_EQ(config.HelpText(),
            "Usage: muster run [FLAG...] [FILE] -- COMMAND [ARGUMENT...]\n"
            "\n"
            "Runs a job on this machine.\n"
            "\n"
            "Flags. Each wins over its environment variable:\n"
            "  -n, --ranks N\n"
            "      How many. (a whole number from 1 to 64; environment MUSTER_RANKS; default 4)\n"
            "  --job-name VALUE\n"
            "      Which job. (some text; environment MUSTER_JOB_NAME; required)\n"
            "  --wide\n"
            "      All columns. (true or false; environment MUSTER_WIDE; default false)\n"
            "  --mesh VALUE\n"
            "      One mesh. (some text; environment MUSTER_MESH; default <none>)\n"
            "  --output table|json\n"
            "      Which form. (one of table, json; environment MUSTER_OUTPUT; default table)\n"
            "  -h, --help\n"
            "      This text.\n");
}

TEST(ConfigTest, HelpKeepsTheDefaultAfterParsing) {
  Program program;
  const std::string before = program.config.HelpText();
  ASSERT_THAT(program.Parse({"--jobs-max=7"}), IsOk());

  EXPECT_EQ(program.config.HelpText(), before);
}

TEST(ConfigDeathTest, ADeclarationThatCannotBeEndsTheProcess) {
  Program program;
  const auto add = [&program](const std::string& name, char letter) {
    program.config.AddString({.name = name, .help = "", .letter = letter}, &program.job);
  };
  EXPECT_DEATH(add("job", 0), "job");
  EXPECT_DEATH(add("help", 0), "help");
  EXPECT_DEATH(add("Name", 0), "Name");
  EXPECT_DEATH(add("other", 'j'), "other");
  EXPECT_DEATH(add("other", 'h'), "other");
}

// --- The log -------------------------------------------------------------------------------------

TEST(ConfigLogTest, EveryEffectiveValueIsLoggedWithItsSource) {
  std::ostringstream out;
  SetUpLog({.out = &out});
  Program program;
  program.variables = {{"MUSTER_STORE", "memory"}};
  ASSERT_THAT(program.Parse({"--job=wan"}), IsOk());
  LogEffective(program.config);
  SetUpLog(LogOptions());

  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 7);
  EXPECT_THAT(
      text, AllOf(HasSubstr(R"("name":"job","value":"wan","source":"flag","origin":"--job"})"),
                  HasSubstr(R"("name":"store","value":"memory","source":"environment",)"
                            R"("origin":"MUSTER_STORE"})"),
                  HasSubstr(R"("name":"recovery","value":"30s","source":"default","origin":""})")));
}

TEST(LogFlagsTest, FlagsDecideLevelAndFormat) {
  Config config("muster-worker", "Joins a job.");
  LogFlags flags;
  AddLogFlags(config, flags);
  ASSERT_THAT(config.Parse({"--log-level=debug", "--log-format=text"}), IsOk());

  testing::internal::CaptureStderr();
  SetUpLog(flags, "worker");
  Log(LogLevel::kDebug, "test.event");
  SetUpLog(LogOptions());
  const std::string text = testing::internal::GetCapturedStderr();

  EXPECT_EQ(text.substr(0, 2), "D ");
  EXPECT_THAT(text, HasSubstr(" test.event\n"));
}

TEST(LogFlagsTest, ByDefaultItIsInfoAndJsonOffATerminal) {
  testing::internal::CaptureStderr();
  SetUpLog(LogFlags(), "worker");
  Log(LogLevel::kDebug, "test.debug");
  Log(LogLevel::kInfo, "test.info");
  SetUpLog(LogOptions());
  const std::string text = testing::internal::GetCapturedStderr();

  EXPECT_THAT(text, HasSubstr(R"("event":"test.info","component":"worker"})"));
  EXPECT_THAT(text, testing::Not(HasSubstr("test.debug")));
}

}  // namespace
}  // namespace muster
