// Rules that hold for the whole package muster.v1, read from its descriptors.

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "muster/v1/admin.pb.h"
#include "muster/v1/error.pb.h"
#include "muster/v1/plan.pb.h"
#include "muster/v1/status.pb.h"
#include "muster/v1/types.pb.h"
#include "muster/v1/worker.pb.h"

namespace muster {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::ServiceDescriptor;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<const FileDescriptor*> Files() {
  return {v1::ApplyRequest::descriptor()->file(), v1::ErrorDetail::descriptor()->file(),
          v1::PlanView::descriptor()->file(),     v1::Job::descriptor()->file(),
          v1::JobSpec::descriptor()->file(),      v1::Hello::descriptor()->file()};
}

std::vector<const Descriptor*> Messages() {
  std::vector<const Descriptor*> messages;
  for (const FileDescriptor* file : Files()) {
    for (int i = 0; i < file->message_type_count(); ++i) messages.push_back(file->message_type(i));
  }
  return messages;
}

std::vector<const FieldDescriptor*> Fields() {
  std::vector<const FieldDescriptor*> fields;
  for (const Descriptor* message : Messages()) {
    for (int i = 0; i < message->field_count(); ++i) fields.push_back(message->field(i));
  }
  return fields;
}

std::vector<std::string> Methods(const ServiceDescriptor* service) {
  std::vector<std::string> methods;
  for (int i = 0; i < service->method_count(); ++i) methods.push_back(service->method(i)->name());
  return methods;
}

TEST(ProtosTest, EverythingIsInThePackage) {
  EXPECT_EQ(Files().size(), 6u);
  for (const FileDescriptor* file : Files()) EXPECT_EQ(file->package(), "muster.v1");
  EXPECT_GT(Fields().size(), 200u);
}

TEST(ProtosTest, ServicesHaveTheirCalls) {
  const FileDescriptor* worker = v1::Hello::descriptor()->file();
  EXPECT_THAT(Methods(worker->FindServiceByName("WorkerService")),
              ElementsAre("Session", "Leave", "ReportExit"));
  const FileDescriptor* admin = v1::ApplyRequest::descriptor()->file();
  EXPECT_THAT(Methods(admin->FindServiceByName("AdminService")),
              ElementsAre("Apply", "Delete", "GetJob", "ListJobs", "ListWorkers", "ListGroups",
                          "ListEvents", "Why", "WatchJob"));
}

TEST(ProtosTest, OnlyTheSessionAndTheWatchAreStreams) {
  std::set<std::string> up;
  std::set<std::string> down;
  for (const FileDescriptor* file : Files()) {
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) {
        const auto* method = file->service(s)->method(m);
        if (method->client_streaming()) up.insert(method->name());
        if (method->server_streaming()) down.insert(method->name());
      }
    }
  }
  EXPECT_THAT(up, UnorderedElementsAre("Session"));
  EXPECT_THAT(down, UnorderedElementsAre("Session", "WatchJob"));
}

// A message of any type, or bytes that somebody decodes by a type of their choosing, could carry a
// pickle.
TEST(ProtosTest, OnlyTheDataOfBackendsIsOpaque) {
  std::set<std::string> opaque;
  for (const FieldDescriptor* field : Fields()) {
    if (field->type() == FieldDescriptor::TYPE_BYTES) opaque.insert(field->full_name());
    if (field->message_type() == nullptr) continue;
    const std::string& type = field->message_type()->full_name();
    EXPECT_TRUE(absl::StartsWith(type, "muster.v1.") || type == "google.protobuf.Duration")
        << field->full_name() << " is a " << type;
  }
  EXPECT_THAT(opaque, UnorderedElementsAre("muster.v1.Endpoint.data", "muster.v1.Peer.endpoint"));
}

TEST(ProtosTest, EnumsBeginWithUnspecifiedAndCarryTheirName) {
  int seen = 0;
  for (const FileDescriptor* file : Files()) {
    for (int i = 0; i < file->enum_type_count(); ++i) {
      const EnumDescriptor* type = file->enum_type(i);
      ++seen;
      ASSERT_TRUE(absl::EndsWith(type->value(0)->name(), "_UNSPECIFIED")) << type->name();
      EXPECT_EQ(type->value(0)->number(), 0);
      std::string prefix = type->value(0)->name();
      prefix.resize(prefix.size() - std::string("UNSPECIFIED").size());
      for (int v = 0; v < type->value_count(); ++v) {
        EXPECT_TRUE(absl::StartsWith(type->value(v)->name(), prefix)) << type->value(v)->name();
        EXPECT_EQ(type->value(v)->number(), v);
      }
    }
  }
  EXPECT_GE(seen, 10);
}

TEST(ProtosTest, TimesAreDurations) {
  for (const FieldDescriptor* field : Fields()) {
    for (const char* unit : {"_ms", "_us", "_ns", "_s", "_sec", "_secs", "_seconds", "_millis"}) {
      EXPECT_FALSE(absl::EndsWith(field->name(), unit)) << field->full_name();
    }
  }
}

TEST(ProtosTest, CallsThatChangeAJobHaveARequestIdAndAGuard) {
  for (const Descriptor* request :
       {v1::ApplyRequest::descriptor(), v1::DeleteRequest::descriptor()}) {
    ASSERT_NE(request->FindFieldByName("request_id"), nullptr) << request->name();
    const FieldDescriptor* guard = request->FindFieldByName("if_epoch");
    ASSERT_NE(guard, nullptr) << request->name();
    EXPECT_TRUE(guard->has_presence());
  }
}

TEST(ProtosTest, SpecHoldsNothingThatIsSeenAndStatusNothingThatIsWanted) {
  std::set<std::string> reached;
  std::vector<const Descriptor*> queue = {v1::JobSpec::descriptor()};
  while (!queue.empty()) {
    const Descriptor* message = queue.back();
    queue.pop_back();
    if (!reached.insert(message->name()).second) continue;
    for (int i = 0; i < message->field_count(); ++i) {
      if (message->field(i)->message_type() != nullptr) {
        queue.push_back(message->field(i)->message_type());
      }
    }
  }
  const FileDescriptor* status = v1::JobStatus::descriptor()->file();
  for (int i = 0; i < status->message_type_count(); ++i) {
    EXPECT_EQ(reached.count(status->message_type(i)->name()), 0u);
  }
  for (const Descriptor* seen : {v1::JobStatus::descriptor(), v1::WorkerStatus::descriptor(),
                                 v1::GroupStatus::descriptor(), v1::Event::descriptor()}) {
    for (int i = 0; i < seen->field_count(); ++i) {
      EXPECT_NE(seen->field(i)->message_type(), v1::JobSpec::descriptor()) << seen->name();
    }
  }
}

TEST(ProtosTest, FieldNumbersAreWithoutGaps) {
  for (const Descriptor* message : Messages()) {
    for (int number = 1; number <= message->field_count(); ++number) {
      EXPECT_TRUE(message->FindFieldByNumber(number) != nullptr ||
                  message->IsReservedNumber(number))
          << message->name() << " has no field " << number;
    }
  }
}

}  // namespace
}  // namespace muster
