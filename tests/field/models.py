"""A made-up model on the loopback address, as Anthropic's messages API and as OpenAI's chat completions: models.py LOG CALL...
Each CALL is JSON, `{"name": "Bash", "input": {...}}`: the tools that the model calls, one in each answer; then it repeats what
the last one said. Prints its port. In LOG there is a line of JSON for each request: path, credentials, last message."""

import http.server
import json
import sys

LOG, CALLS = sys.argv[1], [json.loads(call) for call in sys.argv[2:]]


def anthropic(done, said):
    """Events of a streamed answer, when so many calls are done."""
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": "made-up", "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": start | {"usage": {"input_tokens": 1, "output_tokens": 1}}}
    if done < len(CALLS):
        block = {"type": "tool_use", "id": f"toolu_{done}", "name": CALLS[done]["name"], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(CALLS[done]["input"])}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": said}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    reason = "tool_use" if done < len(CALLS) else "end_turn"
    yield {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def openai(done, said):
    """The same, of the other kind."""
    if done < len(CALLS):
        function = {"name": CALLS[done]["name"], "arguments": json.dumps(CALLS[done]["input"])}
        message, reason = {"tool_calls": [{"index": 0, "id": f"call_{done}", "type": "function", "function": function}]}, "tool_calls"
    else:
        message, reason = {"content": said}, "stop"
    return {"role": "assistant", "content": None} | message, reason


def text(content):
    """The text of a message's or a result's content."""
    if isinstance(content, str) or content is None:
        return content or ""
    return "".join(part.get("text", "") for part in content)


class Model(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}")
        messages = asked.get("messages", [])
        results = [text(message["content"]) for message in messages if message["role"] == "tool"]
        for message in messages:
            if isinstance(message["content"], list):
                results += [text(part["content"]) for part in message["content"] if part.get("type") == "tool_result"]
        with open(LOG, "a") as log:
            credentials = {"key": self.headers.get("x-api-key"), "bearer": self.headers.get("authorization")}
            print(json.dumps({"path": self.path, "results": results} | credentials), file=log)
        # Without tools it is asked for a title or the like.
        done = len(results) if asked.get("tools") else len(CALLS)
        said = results[-1] if results else "nothing"
        if self.path.startswith("/v1/messages?") or self.path == "/v1/messages":
            self.stream("\n\n".join(f"event: {event['type']}\ndata: {json.dumps(event)}" for event in anthropic(done, said)))
        elif self.path.endswith("/chat/completions"):
            self.complete(asked, *openai(done, said))
        else:
            self.send_error(404)

    def complete(self, asked, message, reason):
        answer = {"id": "chatcmpl-1", "created": 1, "model": "made-up"}
        usage = {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
        if not asked.get("stream"):
            choices = [{"index": 0, "message": message, "finish_reason": reason}]
            return self.answer("application/json", json.dumps(answer | usage | {"object": "chat.completion", "choices": choices}))
        answer |= {"object": "chat.completion.chunk"}
        first = answer | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]}
        last = answer | usage | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
        return self.stream("\n\n".join(f"data: {data}" for data in (json.dumps(first), json.dumps(last), "[DONE]")))

    def stream(self, body):
        self.answer("text/event-stream", body + "\n\n")

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(body.encode())

    def do_GET(self):
        self.send_error(404)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_address[1], flush=True)
server.serve_forever()
