import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { explainerFor } from "../../../src/explain/remote/explainers.ts"
import { followRollout } from "../../../src/cli/remote/remoteRollout.ts"
import { readEvents, readNodes, readRolloutInput } from "../../../src/explain/remote/readRollout.ts"
import { readLiveCluster } from "../../../src/cli/plan/readLiveCluster.ts"
import { readManifests } from "../../../src/manifests/readManifests.ts"
import { RemoteRefused } from "../../../src/client/clientErrors.ts"
import { openRemoteCluster } from "../../../src/client/remoteCluster.ts"
import { runEventLoopTurns } from "../../../src/testing/realTime.ts"
import { deploymentYaml } from "../harness/charthouse.ts"
import { serverAnswering, sendJson } from "../../client/serverAnswering.ts"
import type { RemoteCluster } from "../../../src/client/remoteCluster.ts"

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", uid: "u" },
  spec: { selector: { matchLabels: { app: "web" } } }
}

/** Reads from a server that has only this Deployment and refuses one resource with a code. */
const refused = async <A>(
  resource: string,
  code: number,
  read: (remote: RemoteCluster) => Promise<A>
): Promise<A> => {
  await using server = await serverAnswering(({ url }, response) => {
    const path = new URL(url, "http://server").pathname
    if (new RegExp(`/${resource}(/default)?$`).test(path)) {
      return sendJson(response, code, { kind: "Status", code, message: `${resource}: no` })
    }
    return sendJson(response, 200, path.endsWith("/web") ? deployment : { items: [], metadata: {} })
  })
  const remote = await openRemoteCluster(server)
  try {
    return await read(remote)
  } finally {
    remote.close()
  }
}

describe("the objects that an explanation reads", () => {
  const rows: ReadonlyArray<{
    readonly resource: string
    readonly read: (remote: RemoteCluster) => Promise<unknown>
    readonly without: unknown
  }> = [
    { resource: "nodes", read: readNodes, without: [] },
    { resource: "events", read: readEvents, without: [] },
    {
      resource: "namespaces",
      read: async (remote) => (await readRolloutInput(remote, "web")).namespace,
      without: undefined
    }
  ]

  it.each(rows)("lack $resource if the server answers 403", async ({ resource, read, without }) => {
    expect(await refused(resource, 403, read)).toEqual(without)
  })

  it.each(rows)("fail to load if the server answers 500 for $resource", async ({ resource, read }) => {
    await expect(refused(resource, 500, read)).rejects.toEqual(
      new RemoteRefused({ code: 500, reason: "", message: `${resource}: no` })
    )
  })
})

describe("several refused reads", () => {
  const explainRequest =
    (object: string) =>
    async (kubeconfig: string): Promise<unknown> => {
      const remote = await openRemoteCluster({ kubeconfig })
      return explainerFor(object)?.(remote).finally(remote.close)
    }
  const rows: ReadonlyArray<{
    readonly why: string
    readonly ask: (kubeconfig: string) => Promise<unknown>
    readonly code: number
    readonly refused: readonly [first: string, second: string]
  }> = [
    {
      why: "explain of a node with permissions for one namespace only",
      ask: explainRequest("node/n1"),
      code: 403,
      refused: ["/api/v1/nodes/n1", "/api/v1/pods"]
    },
    {
      why: "explain of a Deployment in a missing namespace",
      ask: explainRequest("web"),
      code: 404,
      refused: ["/apis/apps/v1/namespaces/default/deployments/web", "/api/v1/namespaces/default"]
    },
    {
      why: "a plan that starts from the live cluster",
      ask: (kubeconfig) => {
        const { documents } = readManifests([{ name: "web.yaml", text: deploymentYaml() }], { strict: true })
        const where = { kubeconfig, context: undefined }
        const reading = readLiveCluster(where, documents, { includesReplicaSets: false })
        return Effect.runPromise(Effect.mapError(reading, ({ lines }) => new Error(lines.join("\n"))))
      },
      code: 500,
      refused: ["/api/v1/nodes", "/api/v1/namespaces/default/services"]
    }
  ]
  it.each(rows)("report the error of the first request, whichever error arrives first: $why", async (row) => {
    const { ask, code, refused } = row
    const [first, second] = refused
    const secondCame = Promise.withResolvers<void>()
    await using server = await serverAnswering(({ url }, response) => {
      const { pathname } = new URL(url, "http://server")
      const status = { kind: "Status", code, message: `${pathname}: no` }
      const refuse = (): void => sendJson(response, code, status)
      if (pathname === second) response.on("finish", secondCame.resolve)
      if (pathname === first) void secondCame.promise.then(() => runEventLoopTurns(20)).then(refuse)
      else if (pathname === second) refuse()
      else if (pathname.endsWith("/web")) sendJson(response, 404, { ...status, reason: "NotFound" })
      else sendJson(response, 200, { items: [], metadata: {} })
    })
    await expect(ask(server.kubeconfig)).rejects.toThrow(`${first}: no`)
  })
})

it("followed objects have the order of a list, whichever arrives first", async () => {
  const owned = (kind: string, name: string, owner: string) => ({
    kind,
    metadata: { name, namespace: "default", uid: name, ownerReferences: [{ uid: owner, controller: true }] }
  })
  await using server = await serverAnswering(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, "http://server")
    const isWatch = searchParams.has("watch")
    const answerWith = (present: ReadonlyArray<object>, added: ReadonlyArray<object>): void => {
      if (!isWatch) return sendJson(response, 200, { items: present, metadata: { resourceVersion: "5" } })
      response.writeHead(200)
      for (const object of added) response.write(`${JSON.stringify({ type: "ADDED", object })}\n`)
    }
    if (pathname.endsWith("/web")) return sendJson(response, 200, deployment)
    if (pathname.endsWith("/deployments")) return answerWith([deployment], [])
    if (pathname.endsWith("/replicasets")) {
      return answerWith([owned("ReplicaSet", "web-b", "u")], [owned("ReplicaSet", "web-a", "u")])
    }
    return answerWith([owned("Pod", "web-b-2", "web-b")], [owned("Pod", "web-b-1", "web-b")])
  })
  const remote = await openRemoteCluster(server)
  const aborting = new AbortController()
  const { signal } = aborting
  const changed = Promise.withResolvers<void>()
  let changes = 0
  const change = (): void => void ((changes += 1) === 2 && changed.resolve())
  const followed = await followRollout(remote, { name: "web", signal, onChange: change })
  await changed.promise
  const names = (objects: ReadonlyArray<{ readonly metadata: { readonly name: string } }> = []) =>
    objects.map(({ metadata }) => metadata.name)
  const { replicaSets, pods } = followed.objects() ?? {}
  aborting.abort()
  remote.close()
  expect([names(replicaSets), names(pods)]).toEqual([
    ["web-a", "web-b"],
    ["web-b-1", "web-b-2"]
  ])
})
