import { kindNamed } from "../../../builders.ts"
import type { Fields } from "../../../../src/kubernetes/meta/fields.ts"
import { describe, expect, it } from "vitest"
import { threeWayMerge } from "../../../../src/kubernetes/apply/patches/threeWayMerge.ts"
import { valueAt, deepFrozen } from "../../admission/drafts.ts"
import { containers, containersText, patchedValue } from "./strategicMergeFixtures.ts"

const textOf = (object: unknown): string => {
  const list = valueAt(Object(object), "spec.containers")
  return containersText(list ?? object)
}

// `a=1` is a container of the name a and the image 1; in a patch, `-a` deletes it.
describe("containers of a strategic merge patch", () => {
  it.each([
    {
      current: "a=1 b=1 c=1",
      patch: "-a c=2 a=2",
      merged: "b=1 c=2 a=2",
      why: "the order follows the patch, without its deletions"
    },
    {
      current: "p=1 q=1 a=1",
      patch: "a=2",
      merged: "p=1 q=1 a=2",
      why: "elements in front stay in front"
    },
    {
      current: "a=1",
      patch: "x=1 x=2",
      merged: "x=2 a=1",
      why: "a new element that is there twice is added once"
    },
    {
      current: "a=1",
      order: "",
      patch: "c=1",
      merged: "a=1 c=1",
      why: "an empty order orders nothing"
    },
    {
      current: "a=1 b=1",
      order: "b a",
      patch: "a=2 b=2",
      merged:
        "InternalError: The order in patch list:\n[map[image:2 name:a] map[image:2 name:b]]\n" +
        " doesn't match $setElementOrder list:\n[map[name:b] map[name:a]]\n",
      why: "a patch may not contradict its own order"
    }
  ])("$patch over $current: $why", ({ current, order, patch, merged }) => {
    const inOrder = order === undefined ? {} : { "$setElementOrder/containers": containers(order) }
    const change = { spec: { ...inOrder, containers: containers(patch) } }
    expect(textOf(patchedValue("Pod", { spec: { containers: containers(current) } }, change))).toBe(merged)
  })

  it("with a shared key stay together at the place of the first", () => {
    const [udp, web, tcp] = [
      { containerPort: 53, protocol: "UDP" },
      { containerPort: 80 },
      { containerPort: 53, protocol: "TCP" }
    ]
    const container = (...ports: ReadonlyArray<object>) => ({
      spec: { containers: [{ name: "dns", ports }] }
    })
    expect(
      patchedValue("Pod", container(udp, web, tcp), container({ containerPort: 80, name: "web" }))
    ).toStrictEqual(container(udp, tcp, { containerPort: 80, name: "web" }))
  })
})

describe("a strategic merge patch", () => {
  const finalizers = (...list: ReadonlyArray<string>): Fields => ({ metadata: { finalizers: list } })
  it.each<{
    readonly why: string
    readonly kind?: string
    readonly current: object
    readonly patch: object
    readonly value: object
  }>([
    {
      why: "drops keys that are not retained, even if it sets nothing",
      current: { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 3 } } } },
      patch: { spec: { strategy: { $retainKeys: ["type"] } } },
      value: { spec: { strategy: { type: "RollingUpdate" } } }
    },
    {
      why: "orders and removes elements of a retained key",
      current: { metadata: { finalizers: ["a.io/x", "b.io/y", "c.io/z"], labels: { app: "web" } } },
      patch: {
        metadata: {
          $retainKeys: ["finalizers"],
          "$setElementOrder/finalizers": ["c.io/z", "a.io/x"],
          "$deleteFromPrimitiveList/finalizers": ["b.io/y"]
        }
      },
      value: finalizers("c.io/z", "a.io/x")
    },
    {
      why: "empties a map with $patch: delete",
      current: { metadata: { labels: { app: "web" } } },
      patch: { metadata: { labels: { $patch: "delete" } } },
      value: { metadata: { labels: {} } }
    },
    {
      why: "removes a key with null",
      current: { spec: { replicas: 3, paused: true } },
      patch: { spec: { paused: null } },
      value: { spec: { replicas: 3 } }
    },
    {
      why: "removes a list with null, whatever its order",
      kind: "Pod",
      current: { spec: { hostname: "web", containers: containers("a b") } },
      patch: { spec: { "$setElementOrder/containers": containers("b a"), containers: null } },
      value: { spec: { hostname: "web" } }
    },
    {
      why: "adds no list for an order alone",
      kind: "Pod",
      current: { spec: { hostname: "web" } },
      patch: { spec: { "$setElementOrder/containers": containers("b a") } },
      value: { spec: { hostname: "web" } }
    },
    {
      why: "replaces container statuses, which have no merge key",
      kind: "Pod",
      current: { status: { containerStatuses: [{ name: "a" }] } },
      patch: { status: { containerStatuses: [{ name: "b" }] } },
      value: { status: { containerStatuses: [{ name: "b" }] } }
    }
  ])("$why", ({ kind = "Deployment", current, patch, value }) => {
    expect(patchedValue(kind, current, patch)).toStrictEqual(value)
  })

  it.each([
    {
      why: "empties an empty map",
      kind: "Deployment",
      current: { spec: { strategy: {} } },
      patch: { spec: { strategy: { $patch: "delete" } } }
    },
    {
      why: "retains every key",
      kind: "Deployment",
      current: { spec: { strategy: { type: "Recreate" } } },
      patch: { spec: { strategy: { $retainKeys: ["type"] } } }
    },
    {
      why: "sets an atomic value to the same",
      kind: "PodDisruptionBudget",
      current: { spec: { selector: { matchLabels: { app: "web" } } } },
      patch: { spec: { selector: { matchLabels: { app: "web" } } } }
    },
    {
      why: "deletes what a list does not have",
      kind: "Deployment",
      current: finalizers("a.io/x"),
      patch: { metadata: { "$deleteFromPrimitiveList/finalizers": ["b.io/y"] } }
    }
  ])("returns the same object when it $why", ({ kind, current, patch }) => {
    deepFrozen(current)
    expect(patchedValue(kind, current, patch)).toBe(current)
  })

  const listExpected = "InternalError: expected a []interface {}, but received a"
  const order = "$setElementOrder/containers"
  it.each<{ readonly why: string; readonly patch: object; readonly message: string }>([
    {
      why: "an element without its merge key",
      patch: {
        spec: {
          containers: [{ tty: true, image: "a:v3", args: ["-v", "-q"], resources: { n: 7 }, lifecycle: null }]
        }
      },
      message:
        "InternalError: map: map[args:[-v -q] image:a:v3 lifecycle:<nil> resources:map[n:7] tty:true] " +
        "does not contain declared merge key: name"
    },
    {
      why: "a null element",
      patch: { spec: { containers: [null] } },
      message: "InternalError: expected a map[string]interface {}, but received a %!s(<nil>)"
    },
    {
      why: "an unknown directive in a list",
      patch: { spec: { containers: [{ $patch: "explode", name: "app" }] } },
      message: "InternalError: unknown patch type: explode in map: map[$patch:explode name:app]"
    },
    {
      why: "an unknown directive in a list that is replaced",
      patch: { spec: { containers: [{ $patch: "replace" }, { $patch: "explode", name: "app" }] } },
      message: "InternalError: unknown patch type: explode in map: map[$patch:explode name:app]"
    },
    {
      why: "a string for retainKeys",
      patch: { spec: { $retainKeys: "volumes" } },
      message: "BadRequest: invalid patch format of retainKeys"
    },
    { why: "an integer for an order", patch: { spec: { [order]: 3 } }, message: `${listExpected} int64` },
    { why: "a fraction for an order", patch: { spec: { [order]: 2.5 } }, message: `${listExpected} float64` },
    { why: "a boolean for an order", patch: { spec: { [order]: true } }, message: `${listExpected} bool` },
    {
      why: "a map for an order",
      patch: { spec: { [order]: {} } },
      message: `${listExpected} map[string]interface {}`
    },
    { why: "null for an order", patch: { spec: { [order]: null } }, message: `${listExpected} %!s(<nil>)` },
    {
      why: "a string for an ordered list",
      patch: { spec: { [order]: [], containers: "app" } },
      message: `${listExpected} string`
    },
    {
      why: "an order for a field that is no list",
      patch: { spec: { "$setElementOrder/hostname": [] } },
      message: `${listExpected} string`
    },
    {
      why: "an order for an atomic list",
      patch: { spec: { "$setElementOrder/tolerations": [], tolerations: [] } },
      message: "BadRequest: invalid patch format of setElementOrder list"
    },
    {
      why: "a string for a list of deletions",
      patch: { metadata: { "$deleteFromPrimitiveList/finalizers": "a.io/x" } },
      message: `${listExpected} string`
    }
  ])("rejects $why", ({ patch, message }) => {
    const current = { spec: { hostname: "web", containers: containers("app") } }
    expect(patchedValue("Pod", current, patch)).toBe(message)
  })
})

describe("a three-way merge", () => {
  it.each<{
    readonly why: string
    readonly kind: string
    readonly modified: Fields
    readonly current: Fields
    readonly merged: Fields
  }>([
    {
      why: "replaces an atomic selector",
      kind: "PodDisruptionBudget",
      modified: { spec: { selector: { matchLabels: { app: "api" } } } },
      current: { spec: { selector: { matchLabels: { app: "web", tier: "a" }, matchExpressions: [] } } },
      merged: { spec: { selector: { matchLabels: { app: "api" } } } }
    },
    {
      why: "passes on a string for a list",
      kind: "Pod",
      modified: { metadata: { finalizers: "a.io/x" } },
      current: { metadata: { finalizers: ["b.io/y"] } },
      merged: { metadata: { finalizers: "a.io/x" } }
    },
    {
      why: "passes on an element without its merge key",
      kind: "Pod",
      modified: { spec: { containers: [{ image: "a:v3" }] } },
      current: { spec: { containers: [{ name: "app" }] } },
      merged: { spec: { containers: [{ image: "a:v3" }] } }
    },
    {
      why: "passes on an element whose merge key is null",
      kind: "Pod",
      modified: { spec: { containers: [{ name: null, image: "a:v3" }] } },
      current: { spec: { containers: [{ name: "app" }] } },
      merged: { spec: { containers: [{ name: null, image: "a:v3" }] } }
    },
    {
      why: "replaces a list with an element that lacks its merge key",
      kind: "Pod",
      modified: { spec: { containers: [{ name: "app" }] } },
      current: { spec: { containers: [{ image: "a:v3" }] } },
      merged: { spec: { containers: [{ name: "app" }] } }
    },
    {
      why: "keeps elements that other clients put in front",
      kind: "Pod",
      modified: { spec: { containers: [{ name: "app" }, { name: "log" }] } },
      current: { spec: { containers: [{ name: "p" }, { name: "q" }, { name: "app" }, { name: "r" }] } },
      merged: {
        spec: { containers: [{ name: "p" }, { name: "q" }, { name: "app" }, { name: "log" }, { name: "r" }] }
      }
    },
    {
      why: "removes keys with null",
      kind: "Pod",
      modified: { spec: { hostname: null, subdomain: null } },
      current: { spec: { hostname: "web" } },
      merged: { spec: {} }
    },
    {
      why: "adds a repeated element of a set once",
      kind: "Pod",
      modified: { metadata: { finalizers: ["a.io/x", "a.io/x"] } },
      current: { metadata: { finalizers: ["b.io/y"] } },
      merged: { metadata: { finalizers: ["a.io/x", "b.io/y"] } }
    }
  ])("$why", ({ kind, modified, current, merged }) => {
    const sides = { original: undefined, modified: deepFrozen(modified), current: deepFrozen(current) }
    expect(threeWayMerge({ kind: kindNamed(kind), ...sides })).toStrictEqual(merged)
  })
  it("returns the same object when nothing changes", () => {
    const kind = kindNamed("Pod")
    const current = deepFrozen({
      metadata: { finalizers: ["a.io/x"] },
      spec: { containers: containers("p a=1 b") }
    })
    const modified = { metadata: { finalizers: ["a.io/x"] }, spec: { containers: containers("a=1 b") } }
    expect(threeWayMerge({ kind, original: modified, modified, current })).toBe(current)
  })
})
