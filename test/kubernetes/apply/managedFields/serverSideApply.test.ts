import { kindNamed } from "../../../builders.ts"
import type { Fields } from "../../../../src/kubernetes/meta/fields.ts"
import { describe, expect, it } from "vitest"
import { applyConfiguration } from "../../../../src/kubernetes/apply/managedFields/serverSideApply.ts"
import { conflictCauses } from "../../../../src/kubernetes/apply/managedFields/fieldConflicts.ts"
import { valueAt, deployments, pods } from "../../admission/drafts.ts"
import { atSecond, deployment, startManagedObject, type ManagedObject } from "./managedObject.ts"

const configMaps = kindNamed("ConfigMap")

const configMap = (data: Fields, more: Fields = {}): Fields => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "test-cm", namespace: "default", ...more },
  data
})

const containers = (...list: ReadonlyArray<Fields>): Fields =>
  deployment({ template: { spec: { containers: list } } })

const specOf = (managed: ManagedObject): unknown => managed.object()["spec"]

const containersOf = (managed: ManagedObject): unknown =>
  valueAt(managed.object(), "spec.template.spec.containers")

describe("an applying manager", () => {
  // The example of kubernetes.io/docs/reference/using-api/server-side-apply.
  it("owns its fields until another manager changes them", () => {
    const managed = startManagedObject(configMaps)
    const labels = { "test-label": "test" }
    managed.apply("kubectl", configMap({ key: "some value" }, { labels }))
    expect(managed.entries()).toEqual([
      {
        manager: "kubectl",
        operation: "Apply",
        apiVersion: "v1",
        time: "2026-03-04T05:06:01Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:key": {} }, "f:metadata": { "f:labels": { "f:test-label": {} } } }
      }
    ])
    managed.update("kube-controller-manager", configMap({ key: "new value" }, { labels }))
    expect(managed.owners()).toEqual([
      "kubectl Apply: .metadata.labels.test-label",
      "kube-controller-manager Update: .data.key"
    ])
    expect(managed.apply("kubectl", configMap({ key: "some value" }, { labels }))).toBe(
      'Apply failed with 1 conflict: conflict with "kube-controller-manager" using v1: .data.key'
    )
    expect(managed.apply("kubectl", configMap({ key: "some value" }, { labels }), { force: true })).toBe(
      undefined
    )
    expect(managed.owners()).toEqual(["kubectl Apply: .data.key .metadata.labels.test-label"])
    expect(valueAt(managed.object(), "data.key")).toBe("some value")
  })

  it("changes nothing, not even the time, when it applies the same again", () => {
    const managed = startManagedObject(configMaps)
    managed.apply("kubectl", configMap({ key: "value" }))
    const before = managed.object()
    managed.apply("kubectl", configMap({ key: "value" }))
    expect(managed.object()).toEqual(before)
  })

  it("removes fields that it applies no more", () => {
    const managed = startManagedObject(deployments)
    managed.apply("ci", deployment({ replicas: 3, paused: true }))
    managed.apply("ci", deployment({ paused: true }))
    expect(specOf(managed)).toEqual({ paused: true })
    expect(managed.owners()).toEqual(["ci Apply: .spec.paused"])
  })

  it("leaves a field that another manager applies too; the last one removes it", () => {
    const managed = startManagedObject(deployments)
    managed.apply("a", deployment({ replicas: 3, paused: true }))
    expect(managed.apply("b", deployment({ replicas: 3, minReadySeconds: 1 }))).toBe(undefined)
    managed.apply("a", deployment({ paused: true }))
    expect(specOf(managed)).toEqual({ replicas: 3, paused: true, minReadySeconds: 1 })
    managed.apply("b", deployment({ minReadySeconds: 1 }))
    expect(specOf(managed)).toEqual({ paused: true, minReadySeconds: 1 })
  })

  it("hands a field over to an updating manager by applying it no more", () => {
    const managed = startManagedObject(deployments)
    managed.apply("ci", deployment({ replicas: 3, paused: false }))
    managed.update("autoscaler", { ...managed.object(), spec: { replicas: 5, paused: false } })
    expect(managed.apply("ci", deployment({ paused: false }))).toBe(undefined)
    expect(specOf(managed)).toEqual({ replicas: 5, paused: false })
    expect(managed.owners()).toEqual(["ci Apply: .spec.paused", "autoscaler Update: .spec.replicas"])
  })

  it("removes its container, with the fields that a controller added to it", () => {
    const managed = startManagedObject(deployments)
    managed.apply("ci", containers({ name: "app", image: "app:v1" }, { name: "log", image: "log:v1" }))
    const env = [{ name: "X", value: "1" }]
    const withEnv = containers({ name: "app", image: "app:v1" }, { name: "log", image: "log:v1", env })
    managed.update("injector", { ...managed.object(), ...withEnv, metadata: managed.object()["metadata"] })
    expect(managed.apply("ci", containers({ name: "app", image: "app:v2" }))).toBe(undefined)
    expect(containersOf(managed)).toEqual([{ name: "app", image: "app:v2" }])
    expect(managed.owners()).toEqual([
      'ci Apply: .spec.template.spec.containers[name="app"] .spec.template.spec.containers[name="app"].image ' +
        '.spec.template.spec.containers[name="app"].name'
    ])
  })

  it("keeps a container that a controller added in its place", () => {
    const managed = startManagedObject(deployments)
    managed.apply("ci", containers({ name: "app", image: "app:v1" }))
    const injected = containers({ name: "proxy", image: "p:v1" }, { name: "app", image: "app:v1" })
    managed.update("injector", { ...managed.object(), ...injected, metadata: managed.object()["metadata"] })
    managed.apply("ci", containers({ name: "log", image: "log:v1" }, { name: "app", image: "app:v2" }))
    expect(containersOf(managed)).toEqual([
      { name: "proxy", image: "p:v1" },
      { name: "log", image: "log:v1" },
      { name: "app", image: "app:v2" }
    ])
  })

  it("removes a struct without other owners, with its defaults", () => {
    const managed = startManagedObject(deployments)
    const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 3 } }
    managed.apply("ci", deployment({ paused: true, strategy }))
    const defaulted = { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: "25%" } }
    // Defaults are set without an owner.
    const stored = { ...managed.object(), spec: { paused: true, strategy: defaulted } }
    const options = applyConfiguration({
      kind: deployments,
      live: stored,
      configuration: deployment({ paused: true }),
      manager: "ci",
      force: false,
      nowMillis: atSecond(9)
    })
    expect(options.ok && options.object["spec"]).toEqual({ paused: true })
  })

  it("keeps fields without owner in a struct of which it still applies a field", () => {
    const managed = startManagedObject(deployments)
    managed.apply("ci", deployment({ paused: true, replicas: 3 }))
    const stored = { ...managed.object(), spec: { paused: true, replicas: 3, minReadySeconds: 0 } }
    const applied = deployment({ paused: true })
    const more = { force: false, nowMillis: atSecond(9) }
    const options = applyConfiguration({
      kind: deployments,
      live: stored,
      configuration: applied,
      manager: "ci",
      ...more
    })
    expect(options.ok && options.object["spec"]).toEqual({ paused: true, minReadySeconds: 0 })
  })

  it("owns only fields that the endpoint lets it set", () => {
    const managed = startManagedObject(deployments)
    const applied = { ...deployment({ replicas: 3 }), status: { replicas: 9 } }
    managed.apply("ci", applied, { resetFields: [["status"]] })
    expect(managed.owners()).toEqual(["ci Apply: .spec.replicas"])
    managed.apply("ci", applied, { subresource: "status", resetFields: [["spec"]] })
    expect(managed.owners()).toEqual(["ci Apply: .spec.replicas", "ci Apply/status: .status.replicas"])
  })

  it("conflicts with before-first-apply on an object without managed fields", () => {
    const live = { ...configMap({ key: "old", other: "x" }), metadata: { name: "test-cm", uid: "u-1" } }
    const managed = startManagedObject(configMaps)
    const options = { kind: configMaps, live, manager: "kubectl", force: false, nowMillis: atSecond(1) }
    const conflicting = applyConfiguration({ ...options, configuration: configMap({ key: "new" }) })
    const conflicts = !conflicting.ok && conflicting.reason === "Conflict" ? conflicting.conflicts : []
    expect(conflicts.map(({ owner, path }) => [owner.manager, owner.operation, owner.time, path])).toEqual([
      ["before-first-apply", "Update", "2026-03-04T05:06:01Z", ".data.key"]
    ])
    expect(managed.apply("kubectl", configMap({ key: "new" }))).toBe(undefined)
  })
})

describe("kubectl moving to server-side apply", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration"
  const appliedByClient = (spec: Fields, more: Fields = {}) => {
    const configuration = deployment(spec)
    const annotations = { [annotation]: `${JSON.stringify(configuration)}\n` }
    const metadata = { name: "web", namespace: "shop", annotations }
    const managed = startManagedObject(deployments)
    managed.update("kubectl-client-side-apply", { ...configuration, metadata, spec: { ...spec, ...more } })
    return managed
  }

  it("takes over what it applied on the client side, and no other field", () => {
    const managed = appliedByClient({ replicas: 3 }, { paused: true })
    expect(managed.apply("kubectl", deployment({ replicas: 5, paused: false }))).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.paused'
    )
    expect(managed.apply("kubectl", deployment({ replicas: 5 }))).toBe(undefined)
    expect(specOf(managed)).toEqual({ replicas: 5, paused: true })
  })

  it("does not take over a field that another manager changed since", () => {
    const managed = appliedByClient({ replicas: 3 })
    managed.update("hpa", { ...managed.object(), spec: { replicas: 9 } }, { subresource: "scale" })
    expect(managed.apply("kubectl", deployment({ replicas: 5 }))).toBe(
      'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas'
    )
  })

  it("keeps its annotation up to date, unlike other managers", () => {
    const managed = appliedByClient({ replicas: 3 })
    const annotationOf = () => Object(valueAt(managed.object(), "metadata.annotations"))[annotation]
    const before: unknown = annotationOf()
    managed.apply("ci", deployment({ paused: true }))
    expect(annotationOf()).toBe(before)
    managed.apply("kubectl", deployment({ replicas: 5 }))
    expect(annotationOf()).toBe(
      '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},' +
        '"spec":{"replicas":5}}\n'
    )
  })
})

describe("lists of an applied configuration", () => {
  it("are merged by keys with their defaults", () => {
    const managed = startManagedObject(deployments)
    managed.apply("a", containers({ name: "app", ports: [{ containerPort: 53, protocol: "TCP" }] }))
    const ports = [
      { containerPort: 53, name: "dns" },
      { containerPort: 53, protocol: "UDP" }
    ]
    expect(managed.apply("b", containers({ name: "app", ports }))).toBe(undefined)
    expect(containersOf(managed)).toEqual([
      {
        name: "app",
        ports: [
          { containerPort: 53, protocol: "TCP", name: "dns" },
          { containerPort: 53, protocol: "UDP" }
        ]
      }
    ])
  })

  it("hold the elements of all managers when they are sets", () => {
    const managed = startManagedObject(pods)
    const pod = (...finalizers: ReadonlyArray<string>): Fields => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", finalizers }
    })
    managed.apply("a", pod("x.io/1", "x.io/2"))
    managed.apply("b", pod("x.io/3", "x.io/2"))
    expect(valueAt(managed.object(), "metadata.finalizers")).toEqual(["x.io/1", "x.io/3", "x.io/2"])
    managed.apply("a", pod("x.io/1"))
    expect(valueAt(managed.object(), "metadata.finalizers")).toEqual(["x.io/1", "x.io/3", "x.io/2"])
    managed.apply("b", pod())
    expect(valueAt(managed.object(), "metadata.finalizers")).toEqual(["x.io/1"])
  })

  it("conflict as a whole when they are atomic, like selectors", () => {
    const managed = startManagedObject(deployments)
    const withSelectorAndArgs = (app: string, args: ReadonlyArray<string>): Fields =>
      deployment({
        selector: { matchLabels: { app } },
        template: { spec: { containers: [{ name: "app", args }] } }
      })
    managed.apply("a", withSelectorAndArgs("web", ["-v"]))
    expect(managed.apply("b", withSelectorAndArgs("api", ["-v", "-q"]))).toBe(
      'Apply failed with 2 conflicts: conflicts with "a":\n- .spec.selector\n' +
        '- .spec.template.spec.containers[name="app"].args'
    )
  })

  it.each([
    {
      live: "a b c",
      applied: "c a",
      merged: "b c a",
      why: "the order of the configuration, other elements in place"
    },
    { live: "a", applied: "n a", merged: "n a", why: "a new element before its successor" },
    { live: "p a", applied: "a n", merged: "p a n", why: "a new element after its predecessor" },
    { live: "a p", applied: "n", merged: "a p n", why: "a new element at the end" },
    { live: "a b", applied: "a b", merged: "a b", why: "nothing new" }
  ])("merges $applied into $live as $merged: $why", ({ live, applied, merged }) => {
    const namedContainers = (text: string) => containers(...text.split(" ").map((name) => ({ name })))
    const managed = startManagedObject(deployments)
    managed.update("a", namedContainers(live))
    expect(managed.apply("b", namedContainers(applied))).toBe(undefined)
    const names = containersOf(managed)
    expect(Array.isArray(names) && names.map((it) => valueAt(it, "name")).join(" ")).toBe(merged)
  })
})

describe("conflicts of an apply", () => {
  it("are listed by owner, operation and subresource", () => {
    const managed = startManagedObject(deployments)
    managed.apply("zeus", deployment({ minReadySeconds: 3 }))
    const live = managed.object()
    managed.update("edit", { ...live, spec: { minReadySeconds: 3, paused: true, revisionHistoryLimit: 2 } })
    const spec = { minReadySeconds: 3, paused: true, revisionHistoryLimit: 2, replicas: 4 }
    managed.update("hpa", { ...managed.object(), spec }, { subresource: "scale" })
    const applied = deployment({ minReadySeconds: 5, paused: false, revisionHistoryLimit: 9, replicas: 1 })
    expect(managed.apply("ci", applied)).toBe(
      [
        'Apply failed with 4 conflicts: conflicts with "edit" using apps/v1:',
        "- .spec.paused",
        "- .spec.revisionHistoryLimit",
        'conflicts with "hpa" with subresource "scale" using apps/v1:',
        "- .spec.replicas",
        'conflicts with "zeus":',
        "- .spec.minReadySeconds"
      ].join("\n")
    )
    const options = applyConfiguration({
      kind: deployments,
      live: managed.object(),
      configuration: deployment({ replicas: 1 }),
      manager: "ci",
      force: false,
      nowMillis: 0
    })
    expect(options.ok || options.reason !== "Conflict" ? [] : conflictCauses(options.conflicts)).toEqual([
      {
        reason: "FieldManagerConflict",
        message: 'conflict with "hpa" with subresource "scale" using apps/v1',
        field: ".spec.replicas"
      }
    ])
  })

  it("arise with updates of the same manager too", () => {
    const managed = startManagedObject(deployments)
    managed.update("kubectl", deployment({ replicas: 3 }))
    expect(managed.apply("kubectl", deployment({ replicas: 4 }))).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl" using apps/v1: .spec.replicas'
    )
  })
})

describe("validation of a configuration", () => {
  it.each([
    {
      why: "rejects another version",
      applied: { ...deployment({}), apiVersion: "apps/v1beta1" },
      message:
        "Incorrect version specified in apply patch. Specified patch version: apps/v1beta1, expected: apps/v1"
    },
    {
      why: "rejects managedFields",
      applied: { ...deployment({}), metadata: { managedFields: [] } },
      message: "metadata.managedFields must be nil"
    },
    {
      why: "rejects unknown fields",
      applied: deployment({ foo: 1, template: { spec: { bar: 1 } } }),
      message:
        "failed to create typed patch object (shop/web; apps/v1, Kind=Deployment): errors:\n" +
        "  .spec.foo: field not declared in schema\n  .spec.template.spec.bar: field not declared in schema"
    },
    {
      why: "rejects two elements with one key",
      applied: containers({ name: "app" }, { name: "app" }),
      message:
        "failed to create typed patch object (shop/web; apps/v1, Kind=Deployment): " +
        '.spec.template.spec.containers: duplicate entries for key [name="app"]'
    }
  ])("$why", ({ applied, message }) => {
    expect(startManagedObject(deployments).apply("ci", applied)).toBe(message)
  })

  it("accepts keys of any name", () => {
    const data: Fields = JSON.parse('{"__proto__": "a", "constructor": "b", "toString": "c"}')
    const managed = startManagedObject(configMaps)
    expect(managed.apply("ci", configMap(data))).toBe(undefined)
    expect(JSON.stringify(managed.object()["data"])).toBe(
      '{"__proto__":"a","constructor":"b","toString":"c"}'
    )
    expect(managed.owners()).toEqual(["ci Apply: .data.__proto__ .data.constructor .data.toString"])
  })
})

describe("applying a custom resource", () => {
  const kind = { ...deployments, group: "example.com", version: "v1", kind: "Service", plural: "services" }
  const gadget = (spec: Fields): Fields => ({
    apiVersion: "example.com/v1",
    kind: "Service",
    metadata: {},
    spec
  })

  it("merges maps and replaces lists", () => {
    const managed = startManagedObject(kind)
    managed.apply("a", gadget({ size: 3, ports: [{ port: 80 }], nested: { left: 1 } }))
    expect(managed.apply("b", gadget({ nested: { right: 2 } }))).toBe(undefined)
    expect(specOf(managed)).toEqual({ size: 3, ports: [{ port: 80 }], nested: { left: 1, right: 2 } })
    expect(managed.apply("b", gadget({ ports: [{ port: 81 }] }))).toBe(
      'Apply failed with 1 conflict: conflict with "a": .spec.ports'
    )
    managed.apply("a", gadget({ nested: { left: 1 } }))
    expect(specOf(managed)).toEqual({ nested: { left: 1, right: 2 } })
  })
})
