import { afterEach, describe, expect, it } from "vitest"
import { deploymentManifest } from "../builders.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { openInspector } from "../../src/inspect/stately.ts"
import { launch } from "./shipActor.ts"
import { receive } from "./statelyReceiver.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { Frame } from "./statelyReceiver.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const closing: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const deployment = (name: string, replicas = 2, container: object = {}) =>
  deploymentManifest({
    name,
    replicas,
    metadata: { annotations: { note: "s3cret-annotation" } },
    container: { name: "web", image: `${name}:1`, ...container }
  })

const isCalled =
  (text: string) =>
  ({ name }: Frame) =>
    name?.startsWith(text) === true

/** A cluster with an inspector and a viewer connected from the beginning. */
const openWatched = async (chosen?: ReadonlyArray<string>) => {
  const inspector = await openInspector(
    chosen === undefined ? {} : { chosen: [...chosen, "node/node-1", "node/last"] }
  )
  closing.push(inspector.close)
  const cluster = await openCluster({ nodes: 2, inspect: inspector })
  closing.push(cluster.close)
  const receiver = receive(inspector.url)
  await receiver.until(isCalled("node/"))
  /** All frames until now, delimited by the frame of a last actor. */
  const framesUntilNow = async (): Promise<ReadonlyArray<Frame>> => {
    launch("node/last", inspector.inspect)
    return (await receiver.until(isCalled("node/last"))).filter(({ name }) => name !== "node/last")
  }
  return { cluster, inspector, framesUntilNow }
}

const nameOf = (frames: ReadonlyArray<Frame>, id: string | undefined): string | undefined =>
  frames.find((it) => it.sessionId === id && it.name !== undefined)?.name

/** Names of root actors, without generated suffixes. */
const roots = (frames: ReadonlyArray<Frame>): ReadonlyArray<string> => [
  ...new Set(
    frames
      .filter(({ name, sessionId, rootId }) => name !== undefined && sessionId === rootId)
      .map(({ name = "" }) => name.replace(/(-[a-z0-9]+)+$/u, ""))
  )
]

/** Each event as `actor <- event, by source`. */
const sources = (frames: ReadonlyArray<Frame>): ReadonlyArray<string> => [
  ...new Set(
    frames
      .filter(
        ({ type, sourceId, sessionId, rootId }) =>
          type === "@xstate.event" && sourceId !== undefined && sessionId === rootId
      )
      .map(({ sessionId, sourceId, event }) => {
        const [actor, source] = [sessionId, sourceId].map((id) =>
          (nameOf(frames, id) ?? "a stranger")
            .replace(/^(pod|replicaSet)(.*?)(-[a-z0-9]+)+$/u, "$1$2")
            .replace("/default", "")
        )
        return `${actor} <- ${event?.type}, by ${sessionId === sourceId ? "itself" : source}`
      })
  )
]

const rolledOut = async (cluster: OpenCluster, name: string): Promise<void> => {
  const { outcome } = await cluster.rollout(name)
  expect(outcome).toBe("complete")
}

describe("the actors of an inspected cluster", () => {
  it("appear under the actors of their owners", async () => {
    const { cluster, framesUntilNow } = await openWatched()
    await cluster.apply(deployment("web"))
    await rolledOut(cluster, "web")
    const frames = await framesUntilNow()
    const parents = frames
      .filter(({ name, sessionId, rootId }) => name?.startsWith("pod/") === true && sessionId === rootId)
      .map(({ parentId }) => nameOf(frames, parentId)?.replace(/-[a-z0-9]+$/u, ""))
    expect(new Set(parents)).toEqual(new Set(["replicaSet/default/web"]))
    const [replicaSet] = frames.filter(isCalled("replicaSet/"))
    expect(nameOf(frames, replicaSet?.parentId)).toBe("deployment/default/web")
  })

  it("are only the selected ones and those they own, also if they start later", async () => {
    const { cluster, framesUntilNow } = await openWatched(["deployment/web"])
    await cluster.apply(deployment("noise"))
    await rolledOut(cluster, "noise")
    await cluster.apply(deployment("web"))
    await rolledOut(cluster, "web")
    const frames = await framesUntilNow()
    expect(roots(frames).filter((it) => it.includes("/"))).toEqual([
      "node/node",
      "deployment/default/web",
      "replicaSet/default/web",
      "pod/default/web"
    ])
    expect(frames.some((frame) => JSON.stringify(frame).includes("noise"))).toBe(false)
  })

  it("name the writer of each change they observe", async () => {
    const { cluster, framesUntilNow } = await openWatched(["deployment/web"])
    await cluster.apply(deployment("web", 1))
    await rolledOut(cluster, "web")
    await cluster.patch({ resource: "deployments.apps", name: "web" }, { spec: { replicas: 2 } })
    await rolledOut(cluster, "web")
    const frames = await framesUntilNow()
    const causes = sources(frames)
    expect(causes).toContain("deployment/web <- xstate.init, by client charthouse")
    expect(causes).toContain("replicaSet/web <- xstate.init, by deployment/web")
    expect(causes).toContain("pod/web <- observed, by scheduler")
    expect(causes).toContain("replicaSet/web <- observed, by pod/web")
    expect(causes).toContain("deployment/web <- observed, by replicaSet/web")
    expect(causes.filter((it) => it.includes("a stranger"))).toEqual([])
  })

  it("name a client by its field manager", async () => {
    const { cluster, framesUntilNow } = await openWatched(["deployment/web"])
    const served = await cluster.serve({ tls: false })
    const ask = (method: string, path: string, body: object, type = "application/json") =>
      fetch(`${served.url}/apis/apps/v1/namespaces/default/deployments${path}`, {
        method,
        headers: { authorization: `Bearer ${served.token}`, "content-type": type },
        body: JSON.stringify(body)
      })
    await ask("POST", "?fieldManager=kubectl-client-side-apply", deployment("web", 1))
    await rolledOut(cluster, "web")
    const scaled = { spec: { replicas: 0 } }
    await ask("PATCH", "/web?fieldManager=visitor%3Cb%3E", scaled, "application/merge-patch+json")
    await rolledOut(cluster, "web")
    const frames = await framesUntilNow()
    const causes = sources(frames)
    expect(causes).toContain("deployment/web <- xstate.init, by client kubectl-client-side-apply")
    expect(causes).toContain("deployment/web <- observed, by client visitor<b>")
  })

  it("send no environments, arguments, annotations or Secrets", async () => {
    const { cluster, framesUntilNow } = await openWatched()
    await cluster.create({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "db", namespace: "default" },
      stringData: { password: "s3cret-data" }
    } as Draft)
    const container = {
      env: [{ name: "TOKEN", value: "s3cret-env" }],
      args: ["--token", "s3cret-arg"],
      command: ["run", "s3cret-command"]
    }
    await cluster.apply(deployment("web", 2, container))
    await rolledOut(cluster, "web")
    await cluster.delete({ resource: "deployments.apps", name: "web" })
    await cluster.settle()
    await cluster.apply(deployment("last"))
    await rolledOut(cluster, "last")
    const frames = await framesUntilNow()
    expect(frames.length).toBeGreaterThan(50)
    expect(frames.map((frame) => JSON.stringify(frame)).filter((text) => text.includes("s3cret"))).toEqual([])
  })

  it.each([
    { chosen: "web", expectedText: "say a kind and a name" },
    { chosen: "service/web", expectedText: 'no actor is of kind "service"' },
    { chosen: "deployment/", expectedText: "a name or a namespace is missing" },
    { chosen: "deployment/shop/web/2", expectedText: "more parts" },
    { chosen: "node/shop/n1", expectedText: "a node is in no namespace" },
    { chosen: "deployment/web,", expectedText: '"" cannot be inspected' }
  ])("cannot be selected by $chosen", async ({ chosen, expectedText }) => {
    await expect(openInspector({ chosen: [chosen] })).rejects.toThrow(expectedText)
  })
})
