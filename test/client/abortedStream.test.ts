import { describe, expect, it } from "vitest"
import { connectToApiServer } from "../../src/client/apiConnection.ts"
import { readCredentials } from "../../src/client/credentials.ts"
import { readKubeContext } from "../../src/client/kubeContext.ts"
import { serverAnswering } from "./serverAnswering.ts"

describe("a stream that ends with an error", () => {
  it("is aborted at its last line without an error that nothing handles", async () => {
    // As a watch of a version that the server no longer has.
    const event = { type: "ERROR", object: { kind: "Status", code: 410, message: "too old" } }
    await using server = await serverAnswering((_, response) => response.end(`${JSON.stringify(event)}\n`))
    const uncaught: Array<unknown> = []
    const note = (error: unknown): void => void uncaught.push(error)
    process.on("uncaughtException", note)
    try {
      const context = readKubeContext({ path: server.kubeconfig, env: {} })
      const connection = await connectToApiServer(context, () => readCredentials(context.user))
      const lines: Array<unknown> = []
      for (let count = 0; count < 3; count += 1) {
        const controller = new AbortController()
        const onLine = (line: unknown): void => {
          lines.push(line)
          controller.abort()
        }
        await connection.streamLines("/watch", { signal: controller.signal, onLine }).catch(() => {})
        // The socket's error comes after the request has ended.
        await new Promise((resolve) => setImmediate(resolve))
      }
      connection.close()
      expect(lines).toEqual([event, event, event])
      expect(uncaught).toEqual([])
    } finally {
      process.off("uncaughtException", note)
    }
  })
})
