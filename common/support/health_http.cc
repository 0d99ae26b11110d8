#include "common/support/health_http.h"

#include <httplib.h>

#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster {
namespace {

class HttplibHealth final : public HealthHttp {
 public:
  HttplibHealth(Check live, Check ready) {
    // Two threads answer all probes there are.
    server_.new_task_queue = [] { return new httplib::ThreadPool(2); };
    server_.set_keep_alive_timeout(1);
    // The library's default shares the port with whoever asks for it too.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    Serve("/livez", std::move(live));
    Serve("/readyz", std::move(ready));
  }

  ~HttplibHealth() override {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  bool Bind(const std::string& host, int port) {
    if (port == 0) {
      port_ = server_.bind_to_any_port(host);
    } else {
      port_ = server_.bind_to_port(host, port) ? port : -1;
    }
    if (port_ < 0) return false;
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();  // Else stop() could come too early.
    return true;
  }

  int port() const override { return port_; }

 private:
  void Serve(const char* path, Check check) {
    server_.Get(
        path, [check = std::move(check)](const httplib::Request&, httplib::Response& response) {
          const std::string wrong = check();
          response.status = wrong.empty() ? 200 : 503;
          response.set_content(wrong.empty() ? "ok\n" : absl::StrCat(wrong, "\n"), "text/plain");
        });
  }

  httplib::Server server_;
  std::thread thread_;
  int port_ = -1;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HealthHttp>> HealthHttp::Start(const BindAddress& address,
                                                              Check live, Check ready) {
  auto health = std::make_unique<HttplibHealth>(std::move(live), std::move(ready));
  if (health->Bind(address.host, address.port)) return health;
  return WhyNotBound(address);
}

}  // namespace muster
