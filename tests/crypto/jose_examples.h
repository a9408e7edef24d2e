// SPDX-License-Identifier: MIT

// Signed tokens with the keys that verify them: the examples of RFC 7515 appendix A and RFC 8037 appendix A. For
// algorithms that have no example there, or one that signs no claims, the tokens were made for this file with keys that
// were discarded afterwards.
#pragma once

#include <string_view>

namespace volt::crypto::examples {

// RFC 7515 appendix A.2.
inline constexpr std::string_view kRs256Key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAofgWCuLjybRlzo0tZWJj\n"
    "NiuSfb4p4fAkd/wWJcyQoTbji9k0l8W26mPddxHmfHQp+Vaw+4qPCJrcS2mJPMEz\n"
    "P1Pt0Bm4d4QlL+yRT+SFd2lZS+pCgNMsD1W/YpRPEwOWvG6b32690r2jZ47soMZo\n"
    "9wGzjb/7OMg0LOL+bSf63kpaSHSXndS5z5rexMdbBYUsLA9e+KXBdQOS+UTo7WTB\n"
    "EMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxX\n"
    "FvUK+DWNmoudF8NAco9/h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXp\n"
    "oQIDAQAB\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kRs256Token =
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19"
    "yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt"
    "_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb"
    "1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI"
    "8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";

// RFC 7515 appendix A.3.
inline constexpr std::string_view kEs256Key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7\n"
    "6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kEs256Token =
    "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19"
    "yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU"
    "1Q";

// RFC 7515 appendix A.4.
inline constexpr std::string_view kEs512Key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQB6SkFDxJPxrxVx9U5M2Xfne9KsMIs\n"
    "sleY+TTrBOPGuuNwGlenkQ6dgb82MVno68sVXWNJ9L22zPipTFxZx6rBAaQANKZE\n"
    "DjdnUNI3H9G9wsjztx0vTuXqNDLIFcyjFWD+XZOH7HdLVYOGMOXLv1qMvgqR3QBk\n"
    "xpmaH25uZ/rd7eTIyPY=\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kEs512Token =
    "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2"
    "SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXo"
    "lLzeO_Jn";

// RFC 8037 appendix A.4.
inline constexpr std::string_view kEdDsaKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kEdDsaToken =
    "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6"
    "dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

// Signed with an RSA key that was discarded.
inline constexpr std::string_view kRs384Key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxkY2r1P4wPMSL5r9NStP\n"
    "uOvqvcvgASBjtcXGFkpUx/gLgEXK2vbcxcXijhpl92Fi2OwYyYWZkwgsyizcgp87\n"
    "/1uSjdXcxFNz8k5A3RuvcQ7+5r33EwOPiKPCtteR5aqLhqUKIJgINb3GqC1M8M82\n"
    "FFlrlhmt0JJtcOA8eQsID0kwFkhbnk8Eb7hH6zH+MSLLvXQ6XIiHBoPPAXqZPemB\n"
    "/bir26GTpQnZXqwZe5ntAwG5R32RUhNhxAHUPXj+3VyMeUglLM6ez2zn3b6mcEIk\n"
    "Ced76jXwDFS6fpiDesdfEk7KQJiufFPp067uYSoUN16uVSs4MP+Qc9N6x3daURgj\n"
    "0QIDAQAB\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kRs384Token =
    "eyJhbGciOiJSUzM4NCJ9.eyJpc3MiOiJqb2UiLCJleHAiOjEzMDA4MTkzODB9.bk0z7dg_0-emVMd9z4W8tTJp9kR3TIXpTUnarf"
    "XCIo6fGby9k_8IDE0z8giqOlX73EjWrMwbIenBDmBSDulqvG69KmYL9hg-Uu01XQ5DKJKFey10r2p8mru8JHI5ZcDr8xC6Cn6mWG"
    "14KwcnREc4210oE-01PovY4rskgCV1N8NoClpJr_d6IK8qjYVe-HRccaH9vzSec5M2nelVEfZj0u342Hv53y3F6F0zomRDUZNqzw"
    "fLLMtnTTMh7yVxzrYzgZjOqzBvUcYsabud9QJgk9TVlgaQc5NTnNEu3FOEvvABgI2Ood90LADbwAqQMzAw5K1RcLUN3Ph7Jvcp1O"
    "6CmA";

// Signed with the RSA key of kRs384Token.
inline constexpr std::string_view kRs512Token =
    "eyJhbGciOiJSUzUxMiJ9.eyJpc3MiOiJqb2UiLCJleHAiOjEzMDA4MTkzODB9.Yg8dLEb0OQub2q6hyXuliCdmtWxJRXIVx5xALZ"
    "VmgrjkdCoG2KPhnyulyKWD9OWRrxlu2u4twaxO7kkjaHCW1ToasnZK9efEwXAkac4PdmvRk3Qr4fYfobNkSPQIphfJ0hHcwewme5"
    "QGk97_9jG56xZz4EjL6VKnKf6m9XJ27q16yzHF0IYqkLXbYu_Ur_WvG9YBbz-yS5qrY5Fc7205vZncd2IgBUFg7V4N4ggBp-APcB"
    "O5H9yRv4Muh4zzInj8zRjAxSrDoBJ_baC8pIDmbcjJX9KWQVCsUNJ8vQJerA8yhGl8nVb5MsrOFEiiZQJSsRgtfICuPqEUPt3Jl_"
    "qw7Q";

// Signed with a P-384 key that was discarded.
inline constexpr std::string_view kEs384Key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE8AFFR87bSSZEeub8Qal5ZdVRwgmzMuYQ\n"
    "NsYlEamRG10x/7cNFLCBCX3JL6zD1nmimyhxTfCtGPEu+uwilIPZ2COKM7WMJtgu\n"
    "WcE9/aQy7+cwCvG6yn2Xcxbkw8aAOQeV\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kEs384Token =
    "eyJhbGciOiJFUzM4NCJ9.eyJpc3MiOiJqb2UiLCJleHAiOjEzMDA4MTkzODB9.SsTFRaCDNWgxKOm3_W3MiHceWWB37kTFpcPgae"
    "cPqwwtK3Cw_A4NM6vk6HP77hxUE3dSoODyKto6ZwtgIwRA0bp9WTaljJSJInRe0nrWfRcZ_zDGp2z0LHREG7pcttIX";

// Signed with an Ed25519 key that was discarded.
inline constexpr std::string_view kEdDsaClaimsKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEAIen+hZKNZasWzhs5u4vzdvz/GYKmfI9ZOqpSld7eFg4=\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kEdDsaClaimsToken =
    "eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJqb2UiLCJleHAiOjEzMDA4MTkzODB9.xXee0GOmTyVN0jrL8oYyxg01ea70YM8FjP6nF4"
    "YROsrSunrgpWzxg0nGLSWQ5Jp08uMHaY2v80TKdVjeUTd0BQ";

// Signed with a P-521 key that was discarded.
inline constexpr std::string_view kEs512ClaimsKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQBGbcDxLwQOkhdiZRa+MjFfXA4mbng\n"
    "Pls8pwxXyNEGTQAxbePcauysdwID6Wey8CIRmVPZWWdPlTg0YBHF4StyIN0AL0z9\n"
    "cU+B2VuKOrYevWsPoUIVF50GSIg5i9/sBcu73ipz9+urM26mglOnc2KLWexb7XOz\n"
    "zuVdq0JF8EOggHZyaRE=\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kEs512ClaimsToken =
    "eyJhbGciOiJFUzUxMiJ9.eyJpc3MiOiJqb2UiLCJleHAiOjEzMDA4MTkzODB9.AFFRoZqTXzjLS_StGw-yk9GHm23leKYYMbA4yk"
    "bA-cgD4rm3VChYZZ4rMBdpPHID6oOK1qp8uHkzKG_G0E1bly8qAVm2-loP2DoeUi05R8WcdP8cYOkHByskjhXkDh_jSZnKXrNRsJ"
    "PnFmdA7l8dBcEnxLjr5MMQ5k5KLy5Ac91bGvuM";

// Keys that must be rejected: RSA of 1024 bits, a curve that RFC 7518 lacks, and Diffie-Hellman.
inline constexpr std::string_view kShortRsaKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDhxzm3wuB4cMI4IqaXa0xZ8NN0\n"
    "YTizKm9s8c8Z7WKE3Zdf90iawpqTBuKiQIP1Sx+KRH0KJjjxDA8sWeoxENT7P5A1\n"
    "sv460UZSP+gmDUHAue3E/fm/6LLewhP6cNCnrcvJveKNrMuBHz2evKt+eE68k2jB\n"
    "/PnLcOtmrNYyMAVEGwIDAQAB\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kSecp256k1Key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE4Jtrr/237odBZ0p08ADadJ4eiG944hB4\n"
    "5BUkO0wWtNDih5v+QGAP0WEM/hWW5mPMrdaAKZj1BP/1q1MJ90NLqQ==\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kX25519Key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VuAyEAmpaVYTpkFt87ROcRL+JT1rBOHhlUw2p4bPp9DlTVl2s=\n"
    "-----END PUBLIC KEY-----\n";

// The private keys of the examples RS256, ES256 and EdDSA, which the RFCs publish, as PKCS #8.
inline constexpr std::string_view kRs256PrivateKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCh+BYK4uPJtGXO\n"
    "jS1lYmM2K5J9vinh8CR3/BYlzJChNuOL2TSXxbbqY913EeZ8dCn5VrD7io8ImtxL\n"
    "aYk8wTM/U+3QGbh3hCUv7JFP5IV3aVlL6kKA0ywPVb9ilE8TA5a8bpvfbr3SvaNn\n"
    "juygxmj3AbONv/s4yDQs4v5tJ/reSlpIdJed1LnPmt7Ex1sFhSwsD174pcF1A5L5\n"
    "ROjtZMEQxrZHYJqkeDrrnGya11UxMFBji4NmXG9veoKjlnAqH2QbgtPr8jkiGUkf\n"
    "toaHLFcW9Qr4NY2ai50Xw0Byj3+H2JoY2PyrZ62EWQwuz3WTOTY8BwNNb2BvniHg\n"
    "VFbK5emhAgMBAAECggEAEq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyW\n"
    "PEAeP88vLNO97IjlA7/GQ5sLKMgvfTeXZx9SE+7YwVol2NXOoAJe46sui395IW/G\n"
    "O+pWJ1O0BkTGoVEn2bKVRUCgu+GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzj\n"
    "kn439X0M/V51gfpRLI9JYanrC4D4qAdGcopV/0ZHHzQlBjudU2QvXt4ehNYTCBr6\n"
    "XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl/x/jTj3ccPDVZFD9pIuhLhBOneufuBiB\n"
    "4cS98l2SR/RQyGWSeWjnczT0QU91p1DhOVRuOopznQKBgQDgHMQQ60imZV1URk0K\n"
    "pLttoLhyt3SmqdEf/kgHePDdtzEafpAu+cS191R2JiuoF2yzWXnwFDcqGigp5BNr\n"
    "0AHQfD8/Lk8l1Mk09jxxCfui5nYooNyac8YFjm3vItzVCVDnEd3BbVWG8qf6deqE\n"
    "lMGAg+C2V0L4oNXnP7LZcPAZRwKBgQC5A8R+CZW2MvRTLLHzwZkUXV866cff7tx6\n"
    "kqa0finGG0KgeqlaZPxgCZnFp7AeAcCMtiynVlJ7vMVgePsLq6XtON4tB5kP9jAP\n"
    "rq3rbAOal78eUH5OcED6eNuCV8ixEu1eWcPNCS/l1OW1EnXUEoEHKl54Xrrz2uNw\n"
    "kgMTP1FZ1wKBgAcCn1dwJKufzBWQxWQp1vsM5fggqPN1qGb5y0MAk3g7/Ls5bkUp\n"
    "5u9SN0Ai3Ya6hNnvWJMb7sXQX6U/zyO2M/hTip7tUeh7CXgwo59dkpN75gJLVds2\n"
    "9+DAncu3KXU4f2Fa+7bLNrur53k8KwPOq2bbuTG69QtV7Jr5MR0AHWKNAoGBAIf/\n"
    "evpitUf+4JYbLpvNXWcY052Mpz22aR84mY3nh3F2LF2mjMJDpTg7FmuyPcVw6EcG\n"
    "yoAe9fa65iNqCq+jdw6PVNGo2hxfjSiZ8IIzHdsPXI89//pMjZcQK9r+CCoRjaZj\n"
    "OYiIDktVWZzmevJuv6WywUqd57LE3Zar3dLSIkx1AoGAIYd7DHOhrWvxkwPQsRM2\n"
    "tOgrjbcrfvtQJipd+DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd/QJQ3\n"
    "ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp/gh6A56\n"
    "03k2+ZQwVK0JKSHuLFkuQ3U=\n"
    "-----END PRIVATE KEY-----\n";

inline constexpr std::string_view kEs256PrivateKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff\n"
    "H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp\n"
    "7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt\n"
    "-----END PRIVATE KEY-----\n";

inline constexpr std::string_view kEdDsaPrivateKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\n";

// PS256, with the key of RS256; the second with a salt of 20 bytes, which RFC 7518 section 3.5 forbids.
inline constexpr std::string_view kPs256Token =
    "eyJhbGciOiJQUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19"
    "yb290Ijp0cnVlfQ.Ox9CokBxC_QJiEOTlsLB1rl48R4aaxS0hRImwu-LbW8rEwo76N7_zC6mn1H5Fh2swZPWO2u24q7m2z1yYOys"
    "E9VbxTvrfWp0r7dzLPAKQJDRUDoffoQTpgT-YhxakGXjCzyYlwKW3w-mxeLCrSXGCfxz9slD7Riyl3_ZsDXlffOrwjrQECG8qXyB"
    "6fhM4YWLyDa6KTKlVEYR_pZ4JMYOsXMA1utcD8r7TFPchqycnjqDBt8tCIkff48d12OaNYWWxqur8k09EJ4KUKcAxfxJ4rZZgs03"
    "gLFPijY1WdCNvRf_l9plyIEjqI3ixS4Lg7W0POmvUHUevNKWeJ5h3dcZ1A";

inline constexpr std::string_view kPs256ShortSaltToken =
    "eyJhbGciOiJQUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19"
    "yb290Ijp0cnVlfQ.JQQvA16hS5-NYcqbxk6Cmll9UWO8GNRaSg28DrDncQ7KSPkNx8d3lrsNEE5QnajeQ1qHLTBAgDW0SC4pSRuD"
    "zvBsoFrmZbxHxuuDb4h_YU-ENMEY9s1LwwkHtMw3XawAXsdi7kHQh4F89iYmlpfUhqa661cujbNvpXH2XrGSaSvTpD3NtxlFcSd1"
    "1qElzlIyx1H2JU5x8GPaNnJFi8Jd-k0BZpekg_P7ycLclf0AgrBKLV9LJPo0rdD1WPyLcIZz4kNEmeniu1lH-3dNaH_MbTZj3F7-"
    "2MA9HAbe_aaJYhJrxG9gYYa750lfkGO6VpTTVcBFxa8ENpuObAngLHQ2AA";

}  // namespace volt::crypto::examples
