import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class GatewayTest {
  static final HttpClient http = HttpClient.newHttpClient();
  static Process server;
  static String control;

  @BeforeAll
  static void start() throws Exception {
    // The server stops when its stdin closes, however the tests end.
    var command = "npx gateway-understudy --port 0 --json --quiet --stop-with-stdin";
    server = new ProcessBuilder(command.split(" ")).start();
    control = field(server.inputReader().readLine(), "url") + "/__understudy";
  }

  @AfterAll
  static void stop() throws Exception {
    server.getOutputStream().close();
  }

  @Test
  void failsOnceThenRecovers() throws Exception {
    String sandbox = post(control + "/sandboxes", "", "{}").body();
    String rule = """
        { "on": "createResponse", "times": 1, "fault": { "name": "status", "status": 529 } }""";
    post(control + "/sandboxes/" + field(sandbox, "id") + "/scenarios", "", rule);

    String url = field(sandbox, "baseUrl") + "/responses";
    String question = """
        { "model": "aurora/dawn-2", "input": "Why tides?" }""";
    assertEquals(529, post(url, field(sandbox, "apiKey"), question).statusCode());
    assertEquals(200, post(url, field(sandbox, "apiKey"), question).statusCode());
  }

  static HttpResponse<String> post(String url, String key, String body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(url))
        .header("content-type", "application/json")
        .header("authorization", "Bearer " + key)
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** Reads a string from JSON. Use your JSON library instead. */
  static String field(String json, String name) {
    var matcher = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
    matcher.find();
    return matcher.group(1);
  }
}
