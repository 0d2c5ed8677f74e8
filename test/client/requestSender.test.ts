import { describe, expect, it } from "vitest"
import { makeRequestSender } from "../../src/client/requestSender.ts"
import { readCredentials } from "../../src/client/credentials.ts"
import { readKubeContext } from "../../src/client/kubeContext.ts"
import { serverAnswering } from "./serverAnswering.ts"

describe("a request that gets no answer", () => {
  it("fails with the time that it has waited", async () => {
    await using server = await serverAnswering(() => {})
    const context = readKubeContext({ path: server.kubeconfig, env: {} })
    const sender = makeRequestSender(context, await readCredentials(context.user))
    const response = sender.send({ path: "/silent" }, { timeoutMillis: 20 })
    await expect(response).rejects.toThrow(`${server.url} cannot be reached: no answer within 0.02 s`)
    sender.close()
  })
})
