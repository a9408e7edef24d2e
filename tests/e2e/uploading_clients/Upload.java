// SPDX-License-Identifier: MIT

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

// Upload URL TRIES KIND HEADER_BYTES: what refusal_test.py asks of a client (uploading_clients.py).
public class Upload {
  private static final int PIECE_BYTES = 100_000;
  private static final byte[] WHOLE = new byte[200 * PIECE_BYTES];

  // Pauses in the middle of the first megabyte: the library reads the beginning before it sends the head.
  private static final class Stalling extends InputStream {
    private final InputStream rest = new ByteArrayInputStream(WHOLE);
    private int readBytes = 0;
    private boolean paused = false;

    @Override
    public int read() throws IOException {
      return rest.read();
    }

    @Override
    public int read(byte[] to, int offset, int size) throws IOException {
      if (!paused && readBytes >= 5 * PIECE_BYTES) {
        paused = true;
        try {
          Thread.sleep(4000);
        } catch (InterruptedException error) {
          throw new IOException(error);
        }
      }
      int count = rest.read(to, offset, Math.min(size, PIECE_BYTES));
      readBytes += count;
      return count;
    }
  }

  private static HttpRequest.BodyPublisher body(String kind) {
    return switch (kind) {
      case "sized" -> HttpRequest.BodyPublishers.ofByteArray(WHOLE);
      case "stalled" -> HttpRequest.BodyPublishers.ofInputStream(Stalling::new);
      default -> HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(WHOLE));
    };
  }

  private static final class TrustingAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  public static void main(String[] arguments) throws Exception {
    Arrays.fill(WHOLE, (byte) 'x');
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustingAll()}, null);
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(context).build();
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(arguments[0])).timeout(Duration.ofMinutes(1));
    int headerBytes = Integer.parseInt(arguments[3]);
    if (headerBytes > 0) request.header("X-Large", "x".repeat(headerBytes));
    for (int i = 0; i < Integer.parseInt(arguments[1]); ++i) {
      try {
        HttpRequest each = request.POST(body(arguments[2])).build();
        System.out.println(client.send(each, HttpResponse.BodyHandlers.ofString()).statusCode());
      } catch (IOException error) {
        System.out.println(error.toString().replace('\n', ' '));
      }
    }
    System.exit(0);
  }
}
