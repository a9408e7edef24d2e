// SPDX-License-Identifier: MIT

#include "crypto/internal/aes_gcm.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <climits>
#include <memory>

#include "crypto/internal/require_memory.h"
#include "runtime/base/check.h"

namespace volt::crypto::internal {
namespace {

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

const unsigned char* raw(std::span<const std::byte> bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

unsigned char* raw(std::byte* bytes) noexcept { return reinterpret_cast<unsigned char*>(bytes); }

int length(std::span<const std::byte> bytes) {
  VOLT_CHECK(bytes.size() <= INT_MAX);
  return static_cast<int>(bytes.size());
}

enum class Direction : int { open = 0, seal = 1 };

Context start(const EVP_CIPHER* cipher, const SecretKey& key, const unsigned char* nonce, Direction direction) {
  Context context(EVP_CIPHER_CTX_new());
  require_memory(context != nullptr);
  const int started = EVP_CipherInit_ex(context.get(), cipher, nullptr, raw(key), nonce, static_cast<int>(direction));
  require_memory(started == 1);
  return context;
}

// Processes `in`; with a null `out`, `in` is associated data.
void update(EVP_CIPHER_CTX* context, unsigned char* out, std::span<const std::byte> in) {
  if (in.empty()) return;
  int bytes = 0;
  const int done = EVP_CipherUpdate(context, out, &bytes, raw(in), length(in));
  require_memory(done == 1 && bytes == length(in));
}

bool finish(EVP_CIPHER_CTX* context) {
  std::array<unsigned char, 16> nothing_left;
  int bytes = 0;
  return EVP_CipherFinal_ex(context, nothing_left.data(), &bytes) == 1;
}

}  // namespace

void gcm_seal(const SecretKey& key, const GcmNonce& nonce, std::span<const std::byte> plaintext,
              std::span<const std::byte> associated, std::vector<std::byte>& out) {
  const Context context = start(EVP_aes_256_gcm(), key, raw(nonce), Direction::seal);
  update(context.get(), nullptr, associated);

  const std::size_t begin = out.size();
  out.resize(begin + plaintext.size() + kTagBytes);
  update(context.get(), raw(out.data() + begin), plaintext);
  VOLT_CHECK(finish(context.get()));

  std::byte* tag = out.data() + begin + plaintext.size();
  const int tagged = EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes, tag);
  VOLT_CHECK(tagged == 1);
}

std::optional<std::vector<std::byte>> gcm_open(const SecretKey& key, const GcmNonce& nonce,
                                               std::span<const std::byte> sealed,
                                               std::span<const std::byte> associated) {
  if (sealed.size() < kTagBytes) return std::nullopt;
  const auto ciphertext = sealed.first(sealed.size() - kTagBytes);
  std::array<std::byte, kTagBytes> tag;
  std::copy_n(sealed.last(kTagBytes).begin(), kTagBytes, tag.begin());

  const Context context = start(EVP_aes_256_gcm(), key, raw(nonce), Direction::open);
  update(context.get(), nullptr, associated);
  std::vector<std::byte> plaintext(ciphertext.size());
  update(context.get(), raw(plaintext.data()), ciphertext);
  const int tagged = EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag.data());
  VOLT_CHECK(tagged == 1);
  if (finish(context.get())) return plaintext;
  ERR_clear_error();  // the error queue belongs to the thread, and its TLS connections read it
  return std::nullopt;
}

std::array<std::byte, 16> aes_block(const SecretKey& key, const std::array<std::byte, 16>& block) {
  const Context context = start(EVP_aes_256_ecb(), key, nullptr, Direction::seal);
  EVP_CIPHER_CTX_set_padding(context.get(), 0);
  std::array<std::byte, 16> result;
  update(context.get(), raw(result.data()), block);
  return result;
}

}  // namespace volt::crypto::internal
