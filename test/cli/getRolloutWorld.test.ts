import { describe, expect, it } from "vitest"
import { readEvents, readNodes, readSeen } from "../../src/cli/getRolloutWorld.ts"
import { RemoteRefused } from "../../src/remote/errors.ts"
import { openRemote } from "../../src/remote/remoteCluster.ts"
import { answering, sendJson } from "../remote/answering.ts"
import type { RemoteCluster } from "../../src/remote/remoteCluster.ts"

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", uid: "u" },
  spec: { selector: { matchLabels: { app: "web" } } }
}

/** Reads from a server that answers with nothing but this Deployment, and refuses one resource with a code. */
const refused = async <A>(
  resource: string,
  code: number,
  read: (remote: RemoteCluster) => Promise<A>
): Promise<A> => {
  await using server = await answering(({ url }, response) => {
    const path = new URL(url, "http://server").pathname
    if (new RegExp(`/${resource}(/default)?$`).test(path)) {
      return sendJson(response, code, { kind: "Status", code, message: `${resource}: no` })
    }
    return sendJson(response, 200, path.endsWith("/web") ? deployment : { items: [], metadata: {} })
  })
  const remote = await openRemote(server)
  try {
    return await read(remote)
  } finally {
    remote.close()
  }
}

describe("what an explanation is made from", () => {
  const rows: ReadonlyArray<{
    readonly resource: string
    readonly read: (remote: RemoteCluster) => Promise<unknown>
    readonly without: unknown
  }> = [
    { resource: "nodes", read: readNodes, without: [] },
    { resource: "events", read: readEvents, without: [] },
    {
      resource: "namespaces",
      read: async (remote) => (await readSeen(remote, "web")).namespace,
      without: undefined
    }
  ]

  it.each(rows)("may be without $resource that may not be read", async ({ resource, read, without }) => {
    expect(await refused(resource, 403, read)).toEqual(without)
  })

  it.each(rows)("is not without $resource because a server is broken", async ({ resource, read }) => {
    await expect(refused(resource, 500, read)).rejects.toEqual(
      new RemoteRefused({ code: 500, reason: "", message: `${resource}: no` })
    )
  })
})
