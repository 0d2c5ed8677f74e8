import { beforeEach, describe, expect, it } from "vitest"
import { libraryPathIn } from "../../src/cluster/calls/promiseCalls.ts"
import { openCluster } from "../../src/index.ts"
import { deploymentManifest } from "./testCluster.ts"
import type { OpenCluster } from "../../src/index.ts"

type Call = (cluster: OpenCluster) => Promise<unknown>

const missingPod = { resource: "pods", name: "none" } as const

/** Each function is named after its call, so that its own frame can be told from that of any other test. */
const failingCalls: Readonly<Record<string, Call>> = {
  apply: (cluster) => cluster.apply("kind: Nothing"),
  create: (cluster) => cluster.create({ apiVersion: "v2", kind: "Nothing", metadata: {} }),
  update: (cluster) => cluster.update(deploymentManifest({ name: "none" })),
  get: (cluster) => cluster.get(missingPod),
  list: (cluster) => cluster.list("nothing"),
  watch: async (cluster) => {
    for await (const change of cluster.watch("nothing")) return change
    return undefined
  },
  patch: (cluster) => cluster.patch(missingPod, {}),
  delete: (cluster) => cluster.delete(missingPod),
  bind: (cluster) => cluster.bind({ name: "none", node: "node-1" }),
  setKubelet: (cluster) => cluster.setKubelet("none", "stopped"),
  advance: (cluster) => cluster.advance("soon"),
  sleep: (cluster) => cluster.sleep("soon"),
  rollout: (cluster) => cluster.rollout("none"),
  why: (cluster) => cluster.why({ resource: "nothing", name: "none" }),
  fault: (cluster) => cluster.fault({ fault: "nodeLost", node: "none" }),
  fork: (cluster) => cluster.fork({ behaviour: "none" }),
  serve: (cluster) => cluster.serve({ port: -1 }),
  selector: (cluster) => cluster.list("pods", { labelSelector: "a in (" }),
  unapplicable: async (cluster) => {
    await cluster.create(deploymentManifest({ name: "web" }))
    return cluster.patch({ resource: "deployments.apps", name: "web" }, [
      { op: "test", path: "/kind", value: "a" }
    ])
  },
  onChange: async (cluster) => cluster.onChange("nothing", () => {}),
  at: async (cluster) => cluster.clock.at("soon", () => {}),
  until: (cluster) =>
    cluster.until(() => {
      throw new Error("a condition that throws")
    })
}

const failureOf = async (promise: Promise<unknown>): Promise<Error> => {
  try {
    await promise
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error("the call did not fail with an error")
}

describe("the error of a call that fails", () => {
  let cluster: OpenCluster
  beforeEach(async () => {
    cluster = await openCluster()
    return cluster.close
  })

  it.each(Object.entries(failingCalls))("%s has a frame of the caller", async (name, call) => {
    const { stack = "" } = await failureOf(call(cluster))
    const [, ...frames] = stack.split("\n")
    expect(frames[0]).toContain("callSites.test")
    expect(frames).toContainEqual(expect.stringMatching(new RegExp(`at .*\\b${name}\\b`)))
  })

  it("openCluster has a frame of the caller", async () => {
    const { stack } = await failureOf(openCluster({ behaviour: "none" }))
    expect(stack).toContain("callSites.test")
  })

  it("has no frames of the library if the call was wrong", async () => {
    const { stack = "" } = await failureOf(cluster.get(missingPod))
    const [head, first] = stack.split("\n")
    expect(head).toBe('NotFound: pods "none" not found')
    expect(first).toContain("callSites.test")
  })

  it.each([
    { frame: "at file:///lib/src/cluster/calls/promiseCalls.ts:9:1", path: "file:///lib/src/" },
    {
      frame: "at f (/app/charthouse/dist/src/packed/library/a.js:9:1)",
      path: "/app/charthouse/dist/src/packed/"
    },
    { frame: "at file:///home/me/src/app/bundle.js:9:1", path: "file:///home/me/src/app/bundle.js" }
  ])("counts as the library's what is in its folder, or in its bundle: $frame", ({ frame, path }) => {
    expect(libraryPathIn(frame)).toBe(path)
  })

  it("keeps its own frames if a callback has thrown it", async () => {
    const throwing = function throwingCondition(): never {
      throw new TypeError("no such field")
    }
    const { stack = "" } = await failureOf(cluster.until(throwing))
    expect(stack).toMatch(/^TypeError: no such field\n +at throwingCondition/)
  })

  it("has the name of its class, and names the object in resourceName", async () => {
    const error = await failureOf(cluster.get(missingPod))
    expect(error).toMatchObject({ name: "NotFound", resource: "pods", resourceName: "none" })
  })
})
