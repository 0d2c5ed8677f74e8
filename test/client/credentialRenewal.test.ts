import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openRemoteCluster } from "../../src/client/remoteCluster.ts"
import { serverAnswering, sendJson } from "./serverAnswering.ts"
import type { ServerResponse } from "node:http"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "charthouse-renewal-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A user whose exec plugin makes tokens 1, 2, 3, …, and fails while the file `violationFailure` exists. */
const aUser = (): { readonly user: string; readonly runs: () => number; readonly broken: string } => {
  const [program, count, broken] = ["login", "count", "broken"].map((name) => join(folder, name)) as [
    string,
    string,
    string
  ]
  writeFileSync(
    program,
    `#!/bin/sh
echo run >> ${count}
test -e ${broken} && exit 1
printf '{"status":{"token":"%d"}}' $(wc -l < ${count})
`
  )
  chmodSync(program, 0o700)
  const runs = (): number => readFileSync(count, "utf8").trim().split("\n").length
  return { user: `{ exec: { command: ${program} } }`, runs, broken }
}

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } }
const unauthorized = { kind: "Status", code: 401, reason: "Unauthorized", message: "Unauthorized" }
const names = ["a", "b", "c", "d", "e", "f", "g"]

describe("an expired token", () => {
  /** Accepts one token, and lets the test answer requests for `slow`. */
  const aServer = async (user: string) => {
    const state: { token: string; slow: ServerResponse | undefined } = { token: "1", slow: undefined }
    const slowCame = Promise.withResolvers<ServerResponse>()
    const server = await serverAnswering(
      ({ url, headers }, response) => {
        if (headers.authorization !== `Bearer ${state.token}`) sendJson(response, 401, unauthorized)
        else if (url.endsWith("/slow")) slowCame.resolve(response)
        else sendJson(response, 200, configMap)
      },
      { tls: true, user }
    )
    return { server, state, slowCame: slowCame.promise }
  }

  it("is renewed once for all refused requests, without cutting off those in flight", async () => {
    const { user, runs } = aUser()
    const { server, state, slowCame } = await aServer(user)
    await using _server = server
    const remote = await openRemoteCluster(server)
    const get = (name: string) => remote.get({ resource: "configmaps", name })
    const slow = get("slow")
    const held = await slowCame
    state.token = "2"
    const all = await Promise.all(names.map(get))
    expect(all).toEqual(names.map(() => configMap))
    expect(runs()).toBe(2)
    sendJson(held, 200, configMap)
    expect(await slow).toEqual(configMap)
    remote.close()
  })

  it("is renewed on the next refusal when renewal has failed", async () => {
    const { user, runs, broken } = aUser()
    const { server, state } = await aServer(user)
    await using _server = server
    const remote = await openRemoteCluster(server)
    const get = (name: string) => remote.get({ resource: "configmaps", name })
    state.token = "3"
    writeFileSync(broken, "")
    const refused = await Promise.allSettled(names.map(get))
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set(["rejected"]))
    rmSync(broken)
    state.token = String(runs() + 1)
    expect(await get("a")).toEqual(configMap)
    remote.close()
  })
})
