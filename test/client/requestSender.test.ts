import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { generateCertificates } from "../../src/server/access/serverCertificates.ts"
import { UntrustedCertificate } from "../../src/client/clientErrors.ts"
import { watchRemoteChanges } from "../../src/client/remoteChanges.ts"
import { makeRequestSender } from "../../src/client/requestSender.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
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

  it.each([
    {
      why: "another authority has signed it",
      change: async (text: string) => {
        const { ca } = await generateCertificates(["127.0.0.1"])
        const data = Buffer.from(ca).toString("base64")
        return text.replace(/certificate-authority-data: [^ }]*/, `certificate-authority-data: ${data}`)
      }
    },
    {
      why: "it is for another name",
      change: async (text: string) => text.replace("server:", "tls-server-name: elsewhere.example, server:")
    }
  ])("fails because the server's certificate is not trusted: $why", async ({ change }) => {
    await using server = await serverAnswering((_request, response) => response.end(), { tls: true })
    const path = server.writeKubeconfig(await change(readFileSync(server.kubeconfig, "utf8")))
    const context = readKubeContext({ path, env: {} })
    const sender = makeRequestSender(context, await readCredentials(context.user))
    const error = await sender.send({ path: "/" }, {}).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(UntrustedCertificate)
    expect(String(error)).toContain(`${server.url} has a certificate that is not trusted: `)
    sender.close()
  })

  it("is not repeated by a watch when the certificate is not trusted", async () => {
    let requests = 0
    const changes = watchRemoteChanges(
      {
        resource: resources.pods,
        list: () => Promise.resolve({ items: [], resourceVersion: "1" }),
        streamLines: async () => {
          requests += 1
          throw new UntrustedCertificate("not trusted")
        }
      },
      { since: "1", signal: new AbortController().signal }
    )
    await expect(changes.next()).rejects.toThrow("not trusted")
    expect(requests).toBe(1)
  })
})
