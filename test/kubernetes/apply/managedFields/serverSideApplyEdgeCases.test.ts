import { kindNamed } from "../../../builders.ts"
import type { Fields } from "../../../../src/kubernetes/meta/fields.ts"
import { describe, expect, it } from "vitest"
import {
  applyConfiguration,
  type ApplyResult
} from "../../../../src/kubernetes/apply/managedFields/serverSideApply.ts"
import { conflictCauses } from "../../../../src/kubernetes/apply/managedFields/fieldConflicts.ts"
import { valueAt, deployments, pods } from "../../admission/drafts.ts"
import { atSecond, deployment, startManagedObject, type ManagedObject } from "./managedObject.ts"

const pod = (more: Fields, spec?: Fields): Fields => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", ...more },
  ...(spec === undefined ? {} : { spec })
})

const containers = (...list: ReadonlyArray<unknown>): Fields => pod({}, { containers: list })

const withSpec = (managed: ManagedObject, spec: unknown): Fields => ({ ...managed.object(), spec })

const withFinalizers = (managed: ManagedObject, ...finalizers: ReadonlyArray<string>): Fields => ({
  ...managed.object(),
  metadata: { ...Object(managed.object()["metadata"]), finalizers }
})

const appliedAgain = (managed: ManagedObject, applied: Fields, manager = "a"): ApplyResult =>
  applyConfiguration({
    kind: deployments,
    live: managed.object(),
    configuration: applied,
    manager,
    force: false,
    nowMillis: atSecond(50)
  })

describe("the entry of an applying manager", () => {
  it("is removed when the manager applies nothing", () => {
    const managed = startManagedObject(pods)
    managed.apply("a", pod({}, { hostname: "web" }), { subresource: "" })
    expect(managed.owners()).toEqual(["a Apply: .spec.hostname"])
    managed.apply("a", pod({}))
    expect(managed.owners()).toEqual([])
  })

  it("has the time of the last apply that changed a field", () => {
    const managed = startManagedObject(deployments)
    for (const replicas of [3, 5, 5]) managed.apply("a", deployment({ replicas }))
    expect(managed.entries().map(({ time }) => time)).toEqual(["2026-03-04T05:06:02Z"])
  })

  it("is the same object, as is the live one, when nothing changes", () => {
    const managed = startManagedObject(deployments)
    const configuration = deployment(
      { template: { spec: { containers: [{ name: "a", image: "a:v1" }, { name: "b" }] } } },
      { finalizers: ["x.io/1"] }
    )
    managed.apply("a", configuration)
    const again = appliedAgain(managed, structuredClone(configuration))
    expect(again.ok && again.object).toBe(managed.object())
    expect(again.ok && again.managedFields[0]).toBe(managed.entries()[0])
  })

  it("keeps an empty required struct, but not an empty optional one", () => {
    const managed = startManagedObject(pods)
    managed.apply("a", containers({ name: "app", resources: {}, securityContext: {} }))
    const app = '.spec.containers[name="app"]'
    const owned = `a Apply: ${app} ${app}.name ${app}.resources`
    expect(managed.owners()).toEqual([`${owned} ${app}.securityContext`])
    managed.update("editor", withSpec(managed, { containers: [{ name: "app" }] }))
    expect(managed.owners()).toEqual([owned])
  })

  it("loses everything of a container that is removed", () => {
    const managed = startManagedObject(pods)
    managed.apply("a", containers({ name: "app", resources: {} }))
    managed.update("editor", withSpec(managed, { containers: [{ name: "other" }] }))
    expect(managed.owners().filter((text) => text.startsWith("a "))).toEqual([])
  })
})

describe("merging an applied configuration", () => {
  it.each([
    { live: "a q", applied: "n a", merged: "n a q", why: "a new element goes before the next common one" },
    { live: "a p b", applied: "a b", merged: "a p b", why: "an element between two others stays there" },
    { live: "a p b q c", applied: "a b c", merged: "a p b q c", why: "elements between others stay there" },
    {
      live: "a p b q c",
      applied: "a b n c",
      merged: "a p b q n c",
      why: "a new element goes before the last"
    }
  ])("$applied into $live gives $merged: $why", ({ live, applied, merged }) => {
    const namedContainers = (text: string) => containers(...text.split(" ").map((name) => ({ name })))
    const managed = startManagedObject(pods)
    managed.update("b", namedContainers(live))
    expect(managed.apply("a", namedContainers(applied))).toBe(undefined)
    expect(valueAt(managed.object(), "spec.containers")).toEqual(merged.split(" ").map((name) => ({ name })))
  })

  it.each<{
    readonly why: string
    readonly live: Fields
    readonly applied: Fields
    readonly path: string
    readonly value: unknown
  }>([
    {
      why: "an empty atomic list replaces another",
      live: containers({ name: "a", args: ["-v"] }),
      applied: containers({ name: "a", args: [] }),
      path: "spec.containers",
      value: [{ name: "a", args: [] }]
    },
    {
      why: "an empty list with keys changes nothing",
      live: containers({ name: "a" }),
      applied: containers(),
      path: "spec.containers",
      value: [{ name: "a" }]
    },
    {
      why: "an empty list with keys adds no list",
      live: pod({}, {}),
      applied: containers(),
      path: "spec",
      value: {}
    },
    {
      why: "an atomic reference keeps nothing of the old one",
      live: pod({}, { volumes: [{ name: "v", csi: { nodePublishSecretRef: { name: "s", other: "x" } } }] }),
      applied: pod({}, { volumes: [{ name: "v", csi: { nodePublishSecretRef: { name: "t" } } }] }),
      path: "spec.volumes",
      value: [{ name: "v", csi: { nodePublishSecretRef: { name: "t" } } }]
    },
    {
      why: "a variable that is there twice is replaced",
      live: containers({ name: "a", env: [{ name: "X", valueFrom: {} }, { name: "X" }, { name: "Y" }] }),
      applied: containers({ name: "a", env: [{ name: "X", value: "3" }] }),
      path: "spec.containers",
      value: [{ name: "a", env: [{ name: "X", value: "3" }, { name: "Y" }] }]
    },
    {
      why: "a repeated element of a set is merged into one",
      live: pod({ finalizers: ["x.io/1", "x.io/1"] }),
      applied: pod({ finalizers: ["x.io/1"] }),
      path: "metadata.finalizers",
      value: ["x.io/1"]
    }
  ])("$why", ({ live, applied, path, value }) => {
    const managed = startManagedObject(pods)
    managed.update("b", live)
    expect(managed.apply("a", applied, { force: true })).toBe(undefined)
    expect(valueAt(managed.object(), path)).toEqual(value)
  })
})

describe("fields that no manager applies any more", () => {
  it("are removed together with elements", () => {
    const managed = startManagedObject(pods)
    managed.apply("a", pod({}, { hostname: "web", containers: [{ name: "a" }, { name: "b" }] }))
    managed.apply("a", containers({ name: "a" }))
    expect(managed.object()["spec"]).toEqual({ containers: [{ name: "a" }] })
  })

  it("do not include an empty map that is still applied", () => {
    const managed = startManagedObject(pods)
    managed.apply("a", pod({ labels: { app: "web" } }))
    managed.apply("a", pod({ labels: {} }))
    expect(valueAt(managed.object(), "metadata")).toMatchObject({ labels: {} })
    expect(managed.owners()).toEqual(["a Apply: .metadata.labels"])
  })

  it("include a list that becomes empty, even if another manager created it", () => {
    const managed = startManagedObject(pods)
    managed.update("b", pod({ finalizers: ["x.io/1"] }))
    managed.apply("a", pod({ finalizers: ["x.io/1", "x.io/2"] }))
    managed.update("c", withFinalizers(managed, "x.io/2"))
    expect(managed.owners()).toEqual([
      'a Apply: .metadata.finalizers[="x.io/2"]',
      "b Update: .metadata.finalizers"
    ])
    managed.apply("a", pod({}))
    expect(Object.keys(Object(managed.object()["metadata"]))).not.toContain("finalizers")
  })

  it("do not include an element that another manager created", () => {
    const managed = startManagedObject(pods)
    const inside = { "f:spec": { "f:containers": { 'k:{"name":"app"}': { "f:image": {} } } } }
    const entry = {
      manager: "a",
      operation: "Apply",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: inside
    }
    managed.update("b", containers({ name: "app", image: "app:v1" }))
    managed.update("b", { ...managed.object(), metadata: { name: "web", managedFields: [entry] } })
    managed.apply("b", containers({ name: "proxy" }))
    managed.apply("a", pod({}))
    expect(valueAt(managed.object(), "spec.containers")).toEqual([{ name: "app" }, { name: "proxy" }])
  })

  it("do not include an element that is there twice", () => {
    const managed = startManagedObject(pods)
    const env = (...list: ReadonlyArray<Fields>) => containers({ name: "app", env: list })
    managed.apply("a", env({ name: "X", value: "1" }))
    managed.apply("b", env({ name: "X" }))
    const twice = [
      { name: "X", value: "1" },
      { name: "X", value: "2" }
    ]
    managed.update("c", withSpec(managed, { containers: [{ name: "app", env: twice }] }))
    expect(managed.apply("a", containers({ name: "app" }))).toBe(undefined)
    expect(valueAt(managed.object(), "spec.containers")).toEqual([{ name: "app", env: twice }])
  })
})

describe("kubectl moving to server-side apply", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration"
  const clientApplied = (spec: Fields): ManagedObject => {
    const annotations = { [annotation]: `${JSON.stringify(deployment(spec))}\n` }
    const managed = startManagedObject(deployments)
    managed.update("kubectl-client-side-apply", deployment(spec, { annotations }))
    return managed
  }
  const annotationIn = (managed: ManagedObject): unknown =>
    Object(valueAt(managed.object(), "metadata.annotations"))[annotation]

  it("takes over fields of client-side apply only as kubectl", () => {
    const managed = clientApplied({ replicas: 3 })
    expect(managed.apply("ci", deployment({ replicas: 5 }))).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.replicas'
    )
  })

  it.each(["not json", "[]", "null", '"text"'])("finds nothing applied in the annotation %s", (text) => {
    const managed = startManagedObject(deployments)
    const annotations = { [annotation]: text }
    managed.update("kubectl-client-side-apply", deployment({ replicas: 3 }, { annotations }))
    expect(managed.apply("kubectl", deployment({ replicas: 5 }))).toContain(".spec.replicas")
  })

  it("gets no annotation when there was none", () => {
    const managed = startManagedObject(deployments)
    managed.apply("kubectl", deployment({ replicas: 3 }, { annotations: { team: "a" } }))
    expect(valueAt(managed.object(), "metadata.annotations")).toEqual({ team: "a" })
  })

  it("keeps other annotations and sorts the keys in its annotation", () => {
    const managed = clientApplied({ replicas: 3 })
    const configuration = { annotations: { team: "a", [annotation]: "old" } }
    expect(
      managed.apply("kubectl", deployment({ replicas: 5, paused: true }, configuration), { force: true })
    ).toBe(undefined)
    expect(annotationIn(managed)).toBe(
      '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"team":"a"},"name":"web",' +
        '"namespace":"shop"},"spec":{"paused":true,"replicas":5}}\n'
    )
  })

  it("changes nothing when it applies the same again", () => {
    const managed = clientApplied({ replicas: 3 })
    managed.apply("kubectl", deployment({ replicas: 5 }))
    const again = appliedAgain(managed, deployment({ replicas: 5 }), "kubectl")
    expect(again.ok && again.object).toBe(managed.object())
  })

  it("does not take over an element that it applied twice", () => {
    const env = (...list: ReadonlyArray<Fields>) => ({
      template: { spec: { containers: [{ name: "app", env: list }] } }
    })
    const managed = clientApplied(env({ name: "X", value: "1" }, { name: "X", value: "2" }))
    managed.update("editor", withSpec(managed, env({ name: "X", value: "7" })))
    managed.update("injector", withSpec(managed, env({ name: "X", value: "8" })))
    expect(managed.apply("kubectl", deployment(env({ name: "X", value: "9" })))).toBe(
      'Apply failed with 1 conflict: conflict with "injector" using apps/v1: ' +
        '.spec.template.spec.containers[name="app"].env[name="X"].value'
    )
  })
})

describe("conflicts of an apply", () => {
  it("with one manager are listed by subresource", () => {
    const managed = startManagedObject(deployments)
    managed.update("edit", deployment({ paused: true }))
    managed.update("edit", withSpec(managed, { paused: true, replicas: 4 }), { subresource: "scale" })
    const result = appliedAgain(managed, deployment({ paused: false, replicas: 1 }))
    expect(result.ok || result.reason !== "Conflict" ? [] : conflictCauses(result.conflicts)).toEqual([
      {
        reason: "FieldManagerConflict",
        message: 'conflict with "edit" with subresource "scale" using apps/v1',
        field: ".spec.replicas"
      },
      { reason: "FieldManagerConflict", message: 'conflict with "edit" using apps/v1', field: ".spec.paused" }
    ])
  })
})

describe("rejected configurations", () => {
  const prefix = "failed to create typed patch object (/web; v1, Kind=Pod): "
  it.each([
    {
      why: "no apiVersion",
      applied: { kind: "Pod" },
      message: "Incorrect version specified in apply patch. Specified patch version: , expected: v1"
    },
    {
      why: "a repeated finalizer",
      applied: pod({ finalizers: ["x.io/1", "x.io/1"] }),
      message: `${prefix}.metadata.finalizers: duplicate entries for key [="x.io/1"]`
    },
    {
      why: "a string for a container, after the errors of the first one",
      applied: containers({ name: "a", foo: 1 }, "app", "app"),
      message:
        `${prefix}errors:\n  .spec.containers[name="a"].foo: field not declared in schema\n` +
        "  .spec.containers: element 1: associative list with keys may not have non-map elements"
    },
    {
      why: "a map for a finalizer",
      applied: pod({ finalizers: [{ name: "x.io/1" }] }),
      message: `${prefix}.metadata.finalizers: element 0: associative list without keys has an element that's a map type`
    },
    {
      why: "a list for a finalizer",
      applied: pod({ finalizers: [["x.io/1"]] }),
      message: `${prefix}.metadata.finalizers: element 0: not supported: associative list with lists as elements`
    },
    {
      why: "null for a finalizer",
      applied: pod({ finalizers: [null] }),
      message: `${prefix}.metadata.finalizers: element 0: associative list without keys has an element that's an explicit null`
    }
  ])("$why", ({ applied, message }) => {
    expect(startManagedObject(pods).apply("ci", applied)).toBe(message)
  })

  it("more than five hundred levels", () => {
    const gadgets = { ...deployments, group: "example.com", version: "v1", kind: "Gadget", plural: "gadgets" }
    const gadget = (levels: number): Fields => ({
      apiVersion: "example.com/v1",
      kind: "Gadget",
      metadata: { name: "g" },
      spec: JSON.parse(`${'{"a":'.repeat(levels - 1)}1${"}".repeat(levels - 1)}`)
    })
    expect(startManagedObject(gadgets).apply("ci", gadget(500))).toBe(undefined)
    expect(startManagedObject(gadgets).apply("ci", gadget(501))).toBe(
      "failed to create typed patch object (/g; example.com/v1, Kind=Gadget): .spec.a.a…: nested too deeply"
    )
  })
})

describe("a selector", () => {
  it("is replaced as a whole by its manager", () => {
    const managed = startManagedObject(kindNamed("Service"))
    const service = (selector: Fields): Fields => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: { selector }
    })
    managed.apply("a", service({ app: "web" }))
    managed.apply("a", service({ tier: "front" }))
    expect(valueAt(managed.object(), "spec.selector")).toEqual({ tier: "front" })
  })
})
