import type { Fields } from "../../../src/kubernetes/meta/fields.ts"
import { describe, expect, it } from "vitest"
import { strategicMergePatch } from "../../../src/kubernetes/apply/patches/strategicMerge.ts"
import { threeWayMerge } from "../../../src/kubernetes/apply/patches/threeWayMerge.ts"
import { at, frozen, kindNamed } from "../admission/drafts.ts"

const patchedValue = (kind: string, current: unknown, patch: unknown): unknown => {
  const result = strategicMergePatch(kindNamed(kind), frozen(current), frozen(patch))
  return result.ok ? result.value : `${result.reason}: ${result.message}`
}

/** `app=v3 proxy=v1`, or `-app` for one to be deleted. */
const containers = (text: string): ReadonlyArray<object> =>
  text
    .split(" ")
    .filter(Boolean)
    .map((part) => {
      const [name = "", image] = part.split("=")
      if (name.startsWith("-")) return { $patch: "delete", name: name.slice(1) }
      return image === undefined ? { name } : { name, image }
    })

const textOf = (object: unknown): string => {
  const list = at(Object(object), "spec.containers")
  return Array.isArray(list)
    ? list.map((it) => `${String(at(it, "name"))}=${String(at(it, "image"))}`).join(" ")
    : String(list ?? object)
}

describe("containers of a strategic merge patch", () => {
  it.each([
    {
      current: "a=1 b=1 c=1",
      patch: "-a c=2 a=2",
      merged: "b=1 c=2 a=2",
      why: "the order is that of what is merged, not of what is deleted"
    },
    {
      current: "p=1 q=1 a=1",
      patch: "a=2",
      merged: "p=1 q=1 a=2",
      why: "all that stands in front stays there"
    },
    { current: "a=1", patch: "x=1 x=2", merged: "x=2 a=1", why: "a new one that is there twice is one" },
    {
      current: "a=1",
      order: "",
      patch: "c=1",
      merged: "a=1 c=1",
      why: "an order of nothing asks for nothing"
    },
    {
      current: "a=1 b=1",
      order: "b a",
      patch: "a=2 b=2",
      merged:
        "InternalError: The order in patch list:\n[map[image:2 name:a] map[image:2 name:b]]\n" +
        " doesn't match $setElementOrder list:\n[map[name:b] map[name:a]]\n",
      why: "a patch may not go against its own order"
    }
  ])("$patch over $current: $why", ({ current, order, patch, merged }) => {
    const inOrder = order === undefined ? {} : { "$setElementOrder/containers": containers(order) }
    const change = { spec: { ...inOrder, containers: containers(patch) } }
    expect(textOf(patchedValue("Pod", { spec: { containers: containers(current) } }, change))).toBe(merged)
  })

  it("that share a key stay together where the first of them was", () => {
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
      why: "drops what is not retained, though it sets nothing",
      current: { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 3 } } } },
      patch: { spec: { strategy: { $retainKeys: ["type"] } } },
      value: { spec: { strategy: { type: "RollingUpdate" } } }
    },
    {
      why: "may order and thin out what it retains",
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
      why: "empties a map of one key",
      current: { metadata: { labels: { app: "web" } } },
      patch: { metadata: { labels: { $patch: "delete" } } },
      value: { metadata: { labels: {} } }
    },
    {
      why: "leaves nothing of a key that is null",
      current: { spec: { replicas: 3, paused: true } },
      patch: { spec: { paused: null } },
      value: { spec: { replicas: 3 } }
    },
    {
      why: "takes out a list that is null, in whatever order it would be",
      kind: "Pod",
      current: { spec: { hostname: "web", containers: containers("a b") } },
      patch: { spec: { "$setElementOrder/containers": containers("b a"), containers: null } },
      value: { spec: { hostname: "web" } }
    },
    {
      why: "makes no list of an order alone",
      kind: "Pod",
      current: { spec: { hostname: "web" } },
      patch: { spec: { "$setElementOrder/containers": containers("b a") } },
      value: { spec: { hostname: "web" } }
    },
    {
      why: "takes the states of containers for one value: only conditions have a type",
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
      why: "empties what is empty",
      kind: "Deployment",
      current: { spec: { strategy: {} } },
      patch: { spec: { strategy: { $patch: "delete" } } }
    },
    {
      why: "retains all there is",
      kind: "Deployment",
      current: { spec: { strategy: { type: "Recreate" } } },
      patch: { spec: { strategy: { $retainKeys: ["type"] } } }
    },
    {
      why: "puts the same in the place of what is one value",
      kind: "PodDisruptionBudget",
      current: { spec: { selector: { matchLabels: { app: "web" } } } },
      patch: { spec: { selector: { matchLabels: { app: "web" } } } }
    },
    {
      why: "removes what is not in a list",
      kind: "Deployment",
      current: finalizers("a.io/x"),
      patch: { metadata: { "$deleteFromPrimitiveList/finalizers": ["b.io/y"] } }
    }
  ])("that $why gives the very same object", ({ kind, current, patch }) => {
    frozen(current)
    expect(patchedValue(kind, current, patch)).toBe(current)
  })

  const listExpected = "InternalError: expected a []interface {}, but received a"
  const order = "$setElementOrder/containers"
  it.each<{ readonly why: string; readonly patch: object; readonly message: string }>([
    {
      why: "an element of which all is told but its name",
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
      why: "an element that is nothing",
      patch: { spec: { containers: [null] } },
      message: "InternalError: expected a map[string]interface {}, but received a %!s(<nil>)"
    },
    {
      why: "an unknown directive in a list",
      patch: { spec: { containers: [{ $patch: "explode", name: "app" }] } },
      message: "InternalError: unknown patch type: explode in map: map[$patch:explode name:app]"
    },
    {
      why: "a text for what is to be retained",
      patch: { spec: { $retainKeys: "volumes" } },
      message: "BadRequest: invalid patch format of retainKeys"
    },
    { why: "a whole number for an order", patch: { spec: { [order]: 3 } }, message: `${listExpected} int64` },
    { why: "a broken number", patch: { spec: { [order]: 2.5 } }, message: `${listExpected} float64` },
    { why: "a truth value", patch: { spec: { [order]: true } }, message: `${listExpected} bool` },
    { why: "a map", patch: { spec: { [order]: {} } }, message: `${listExpected} map[string]interface {}` },
    { why: "nothing", patch: { spec: { [order]: null } }, message: `${listExpected} %!s(<nil>)` },
    {
      why: "a text for a list that is to be in order",
      patch: { spec: { [order]: [], containers: "app" } },
      message: `${listExpected} string`
    },
    {
      why: "an order for what is no list",
      patch: { spec: { "$setElementOrder/hostname": [] } },
      message: `${listExpected} string`
    },
    {
      why: "an order for a list that is one value",
      patch: { spec: { "$setElementOrder/tolerations": [], tolerations: [] } },
      message: "BadRequest: invalid patch format of setElementOrder list"
    },
    {
      why: "a text for what is to be removed",
      patch: { metadata: { "$deleteFromPrimitiveList/finalizers": "a.io/x" } },
      message: `${listExpected} string`
    }
  ])("with $why is refused", ({ patch, message }) => {
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
      why: "replaces a selector that is one value",
      kind: "PodDisruptionBudget",
      modified: { spec: { selector: { matchLabels: { app: "api" } } } },
      current: { spec: { selector: { matchLabels: { app: "web", tier: "a" }, matchExpressions: [] } } },
      merged: { spec: { selector: { matchLabels: { app: "api" } } } }
    },
    {
      why: "leaves a text for a list to the server to refuse",
      kind: "Pod",
      modified: { metadata: { finalizers: "a.io/x" } },
      current: { metadata: { finalizers: ["b.io/y"] } },
      merged: { metadata: { finalizers: "a.io/x" } }
    },
    {
      why: "and a list with an element that has no name",
      kind: "Pod",
      modified: { spec: { containers: [{ image: "a:v3" }] } },
      current: { spec: { containers: [{ name: "app" }] } },
      merged: { spec: { containers: [{ image: "a:v3" }] } }
    },
    {
      why: "or none but null",
      kind: "Pod",
      modified: { spec: { containers: [{ name: null, image: "a:v3" }] } },
      current: { spec: { containers: [{ name: "app" }] } },
      merged: { spec: { containers: [{ name: null, image: "a:v3" }] } }
    },
    {
      why: "replaces a list in which an element has none",
      kind: "Pod",
      modified: { spec: { containers: [{ name: "app" }] } },
      current: { spec: { containers: [{ image: "a:v3" }] } },
      merged: { spec: { containers: [{ name: "app" }] } }
    },
    {
      why: "leaves all that others have put in front where it is",
      kind: "Pod",
      modified: { spec: { containers: [{ name: "app" }, { name: "log" }] } },
      current: { spec: { containers: [{ name: "p" }, { name: "q" }, { name: "app" }, { name: "r" }] } },
      merged: {
        spec: { containers: [{ name: "p" }, { name: "q" }, { name: "app" }, { name: "log" }, { name: "r" }] }
      }
    },
    {
      why: "leaves nothing of a key that is null",
      kind: "Pod",
      modified: { spec: { hostname: null, subdomain: null } },
      current: { spec: { hostname: "web" } },
      merged: { spec: {} }
    },
    {
      why: "has in a set once what is there twice",
      kind: "Pod",
      modified: { metadata: { finalizers: ["a.io/x", "a.io/x"] } },
      current: { metadata: { finalizers: ["b.io/y"] } },
      merged: { metadata: { finalizers: ["a.io/x", "b.io/y"] } }
    }
  ])("$why", ({ kind, modified, current, merged }) => {
    const sides = { original: undefined, modified: frozen(modified), current: frozen(current) }
    expect(threeWayMerge({ kind: kindNamed(kind), ...sides })).toStrictEqual(merged)
  })
  it("that changes nothing gives the very same object", () => {
    const kind = kindNamed("Pod")
    const current = frozen({
      metadata: { finalizers: ["a.io/x"] },
      spec: { containers: containers("p a=1 b") }
    })
    const modified = { metadata: { finalizers: ["a.io/x"] }, spec: { containers: containers("a=1 b") } }
    expect(threeWayMerge({ kind, original: modified, modified, current })).toBe(current)
  })
})
