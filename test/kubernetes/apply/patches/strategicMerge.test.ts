import { describe, expect, it } from "vitest"
import { valueAt, deepFrozen } from "../../admission/drafts.ts"
import { containers, containersText, patchedValue } from "./strategicMergeFixtures.ts"

interface Row {
  readonly why: string
  readonly kind?: string
  readonly current: object
  readonly patch: object
  readonly value: object
}

describe("maps in a strategic merge patch", () => {
  it.each<Row>([
    {
      why: "are merged, and keep what the patch does not mention",
      current: { spec: { replicas: 3, paused: true }, status: { replicas: 3 } },
      patch: { spec: { replicas: 7 } },
      value: { spec: { replicas: 7, paused: true }, status: { replicas: 3 } }
    },
    {
      why: "lose null fields at any depth, and gain no null",
      current: { spec: { replicas: 3 } },
      patch: { spec: { replicas: null, paused: null }, metadata: { labels: { app: "web", tier: null } } },
      value: { spec: {}, metadata: { labels: { app: "web" } } }
    },
    {
      why: "are replaced with $patch: replace",
      current: { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } },
      patch: { spec: { strategy: { $patch: "replace", type: "Recreate" } } },
      value: { spec: { strategy: { type: "Recreate" } } }
    },
    {
      why: "are emptied with $patch: delete",
      current: { metadata: { labels: { app: "web", tier: "front" } } },
      patch: { metadata: { labels: { $patch: "delete", app: "web" } } },
      value: { metadata: { labels: {} } }
    },
    {
      why: "keep only the fields in $retainKeys",
      current: { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } },
      patch: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
      value: { spec: { strategy: { type: "Recreate" } } }
    },
    {
      why: "merge retained fields",
      current: { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, a: 1 } } } },
      patch: {
        spec: { strategy: { $retainKeys: ["rollingUpdate", "type"], rollingUpdate: { maxSurge: "25%" } } }
      },
      value: { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", a: 1 } } } }
    },
    {
      why: "are replaced when they are atomic",
      kind: "PodDisruptionBudget",
      current: { spec: { selector: { matchLabels: { app: "web", tier: "front" } } } },
      patch: { spec: { selector: { matchLabels: { app: "api" } } } },
      value: { spec: { selector: { matchLabels: { app: "api" } } } }
    },
    {
      why: "replace a value that is no map",
      current: { spec: { template: "none" } },
      patch: { spec: { template: { metadata: { labels: { a: null, b: "c" } } } } },
      value: { spec: { template: { metadata: { labels: { b: "c" } } } } }
    }
  ])("$why", ({ kind = "Deployment", current, patch, value }) => {
    expect(patchedValue(kind, current, patch)).toEqual(value)
  })

  it("share what does not change", () => {
    const current = deepFrozen({ spec: { replicas: 3, template: { spec: { containers: [{ name: "a" }] } } } })
    const value = patchedValue("Deployment", current, { spec: { replicas: 5 } })
    expect(valueAt(Object(value), "spec.template")).toBe(current.spec.template)
    const same = { spec: { replicas: 3, paused: null, template: { spec: { containers: [{ name: "a" }] } } } }
    expect(patchedValue("Deployment", current, same)).toBe(current)
  })

  it.each(["__proto__", "constructor", "prototype"])("have an ordinary key %s", (key) => {
    const parse = (text: string): object => JSON.parse(text.replaceAll("KEY", key))
    const current = parse('{"data": {"KEY": {"a": 1}, "b": "c"}}')
    const patch = parse('{"data": {"KEY": {"polluted": true}}}')
    expect(JSON.stringify(patchedValue("ConfigMap", current, patch))).toBe(
      `{"data":{"${key}":{"a":1,"polluted":true},"b":"c"}}`
    )
    const without = parse('{"data": {"KEY": null}}')
    expect(JSON.stringify(patchedValue("ConfigMap", current, without))).toBe('{"data":{"b":"c"}}')
    expect(valueAt({}, "polluted")).toBe(undefined)
  })

  it("ignore directives for inherited keys", () => {
    const patch = JSON.parse(
      '{"$deleteFromPrimitiveList/__proto__": ["a"], "$setElementOrder/__proto__": []}'
    )
    expect(patchedValue("Deployment", { spec: {} }, patch)).toEqual({ spec: {} })
    expect(valueAt({}, "a")).toBe(undefined)
  })

  it("are rejected beyond 500 levels", () => {
    const patch: unknown = JSON.parse(`${'{"a":'.repeat(501)}1${"}".repeat(501)}`)
    expect(patchedValue("Pod", {}, patch)).toBe("BadRequest: the patch is nested more than 500 levels deep")
  })
})

describe("containers in a strategic merge patch", () => {
  it.each([
    {
      current: "app=v3 log=v1",
      patch: "log=v2",
      merged: "app=v3 log=v2",
      why: "a changed one stays in place"
    },
    { current: "app=v3", patch: "log=v2", merged: "log=v2 app=v3", why: "a new one comes first" },
    { current: "a=1 b=1 c=1", patch: "c=2 a=2", merged: "b=1 c=2 a=2", why: "the order follows the patch" },
    { current: "a=1 b=1 c=1", patch: "-b", merged: "a=1 c=1", why: "one is deleted" },
    { current: "a=1 b=1", patch: "-z", merged: "a=1 b=1", why: "deleting a missing one does nothing" },
    { current: "a=1 b=1", patch: "-a a=2", merged: "a=2 b=1", why: "deletion and addition in one patch" },
    {
      current: "",
      patch: "a=1 -b c=1",
      merged: "a=1 c=1",
      why: "a new list has no directives"
    }
  ])("$patch over $current: $why", ({ current, patch, merged }) => {
    const spec = { containers: containers(current) }
    const value = patchedValue(
      "Pod",
      { spec: current === "" ? {} : spec },
      { spec: { containers: containers(patch) } }
    )
    expect(containersText(valueAt(Object(value), "spec.containers"))).toBe(merged)
  })

  it.each([
    { current: "a=1 b=1", order: "b a", patch: "", merged: "b=1 a=1", why: "only the order changes" },
    { current: "a=1 b=1", order: "a b c", patch: "c=1", merged: "a=1 b=1 c=1", why: "a new one comes last" },
    { current: "p=1 a=1", order: "a b", patch: "b=1", merged: "p=1 a=1 b=1", why: "others stay in front" },
    {
      current: "a=1 p=1 b=1",
      order: "b a",
      patch: "",
      merged: "p=1 b=1 a=1",
      why: "others stay before their successor"
    },
    { current: "a=1 b=1", order: "a", patch: "-b", merged: "a=1", why: "deletions are not in the order" },
    { current: "", order: "b a", patch: "b=1 a=1", merged: "b=1 a=1", why: "a new list is in order" }
  ])("$patch over $current in the order $order: $why", ({ current, order, patch, merged }) => {
    const spec = { "$setElementOrder/containers": containers(order) }
    const value = patchedValue(
      "Pod",
      { spec: current === "" ? {} : { containers: containers(current) } },
      { spec: patch === "" ? spec : { ...spec, containers: containers(patch) } }
    )
    expect(containersText(valueAt(Object(value), "spec.containers"))).toBe(merged)
  })

  it("are replaced by an element with $patch: replace", () => {
    const patch = { spec: { containers: [{ $patch: "replace" }, ...containers("x=1 a=2")] } }
    const value = patchedValue("Pod", { spec: { containers: containers("a=1 b=1") } }, patch)
    expect(containersText(valueAt(Object(value), "spec.containers"))).toBe("x=1 a=2")
  })

  it("with the same key twice: the first is merged", () => {
    const ports = [
      { containerPort: 53, protocol: "UDP" },
      { containerPort: 53, protocol: "TCP" }
    ]
    const container = (list: ReadonlyArray<object>) => ({
      spec: { containers: [{ name: "dns", ports: list }] }
    })
    const value = patchedValue("Pod", container(ports), container([{ containerPort: 53, name: "dns" }]))
    expect(value).toEqual(container([{ containerPort: 53, protocol: "UDP", name: "dns" }, ports[1] ?? {}]))
  })
})

describe("other lists in a strategic merge patch", () => {
  it.each<Row>([
    {
      why: "are replaced when they are atomic",
      kind: "Pod",
      current: { spec: { tolerations: [{ key: "a" }, { key: "b" }] } },
      patch: { spec: { tolerations: [{ key: "c" }] } },
      value: { spec: { tolerations: [{ key: "c" }] } }
    },
    {
      why: "get missing elements when they are sets",
      current: { metadata: { finalizers: ["a.io/x", "a.io/y"] } },
      patch: { metadata: { finalizers: ["b.io/z", "a.io/y"] } },
      value: { metadata: { finalizers: ["b.io/z", "a.io/x", "a.io/y"] } }
    },
    {
      why: "lose the listed elements when they are sets",
      current: { metadata: { finalizers: ["a.io/x", "a.io/y", "a.io/z"] } },
      patch: { metadata: { "$deleteFromPrimitiveList/finalizers": ["a.io/y", "a.io/w"] } },
      value: { metadata: { finalizers: ["a.io/x", "a.io/z"] } }
    },
    {
      why: "are ordered when they are sets",
      current: { metadata: { finalizers: ["a.io/x", "b.io/z", "a.io/y"] } },
      patch: {
        metadata: {
          "$deleteFromPrimitiveList/finalizers": ["a.io/y"],
          "$setElementOrder/finalizers": ["a.io/w", "a.io/x"],
          finalizers: ["a.io/w"]
        }
      },
      value: { metadata: { finalizers: ["a.io/w", "a.io/x", "b.io/z"] } }
    },
    {
      why: "replace the source of a volume with $retainKeys",
      kind: "Pod",
      current: { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
      patch: {
        spec: { volumes: [{ $retainKeys: ["name", "configMap"], name: "v", configMap: { name: "c" } }] }
      },
      value: { spec: { volumes: [{ name: "v", configMap: { name: "c" } }] } }
    },
    {
      why: "of conditions are merged by type in every status",
      kind: "Node",
      current: { status: { conditions: [{ type: "Ready", status: "False", reason: "Slow" }] } },
      patch: { status: { conditions: [{ type: "Ready", status: "True" }] } },
      value: { status: { conditions: [{ type: "Ready", status: "True", reason: "Slow" }] } }
    }
  ])("$why", ({ kind = "Deployment", current, patch, value }) => {
    expect(patchedValue(kind, current, patch)).toEqual(value)
  })
})

describe("an invalid strategic merge patch", () => {
  it.each([
    {
      why: "has an element without its key",
      patch: { spec: { containers: [{ image: "app:v3" }] } },
      message: "InternalError: map: map[image:app:v3] does not contain declared merge key: name"
    },
    {
      why: "has a deletion without a key",
      patch: { spec: { containers: [{ $patch: "delete" }] } },
      message: "InternalError: map: map[$patch:delete] does not contain declared merge key: name"
    },
    {
      why: "has an element that is no map",
      patch: { spec: { containers: ["app"] } },
      message: "InternalError: expected a map[string]interface {}, but received a string"
    },
    {
      why: "has an unknown directive",
      patch: { spec: { $patch: "merge", containers: [] } },
      message: "InternalError: unknown patch type: merge in map: map[$patch:merge containers:[]]"
    },
    {
      why: "has an element with $patch: merge",
      patch: { spec: { containers: [{ $patch: "merge", name: "app" }] } },
      message: "InternalError: merging lists cannot yet be specified in the patch"
    },
    {
      why: "sets a key that it does not retain",
      patch: { spec: { $retainKeys: ["volumes"], hostNetwork: true } },
      message: "BadRequest: invalid patch format of retainKeys"
    },
    {
      why: "sets an element outside its order",
      patch: { spec: { "$setElementOrder/containers": [{ name: "b" }], containers: [{ name: "a" }] } },
      message:
        "InternalError: The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n" +
        "[map[name:b]]\n"
    },
    {
      why: "has an order without a field",
      patch: { spec: { $setElementOrder: [] } },
      message: "BadRequest: invalid patch format of setElementOrder list"
    },
    {
      why: "has a list of deletions without a field",
      patch: { metadata: { $deleteFromPrimitiveList: [] } },
      message: "BadRequest: invalid patch format of primitive list"
    },
    { why: "is no map", patch: [1], message: "BadRequest: invalid JSON document" }
  ])("$why", ({ patch, message }) => {
    expect(patchedValue("Pod", { spec: { containers: [{ name: "app" }] } }, patch)).toBe(message)
  })
})
