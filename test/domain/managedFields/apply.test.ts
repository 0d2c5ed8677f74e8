import type { Fields } from "../../../src/kubernetes/meta/fields.ts"
import { describe, expect, it } from "vitest"
import { applyConfiguration } from "../../../src/kubernetes/apply/managedFields/serverSideApply.ts"
import { conflictCauses } from "../../../src/kubernetes/apply/managedFields/fieldConflicts.ts"
import { at, deployments, kindNamed, pods } from "../admission/drafts.ts"
import { atSecond, startStory, type Story } from "./story.ts"

const configMaps = kindNamed("ConfigMap")

const configMap = (data: Fields, more: Fields = {}): Fields => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "test-cm", namespace: "default", ...more },
  data
})

const deployment = (spec: Fields): Fields => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
  spec
})

const containers = (...list: ReadonlyArray<Fields>): Fields =>
  deployment({ template: { spec: { containers: list } } })

const specOf = (story: Story): unknown => story.object()["spec"]

const containersOf = (story: Story): unknown => at(story.object(), "spec.template.spec.containers")

describe("who applies", () => {
  // The example of kubernetes.io/docs/reference/using-api/server-side-apply.
  it("owns what he says, until someone else writes something else", () => {
    const story = startStory(configMaps)
    const labels = { "test-label": "test" }
    story.apply("kubectl", configMap({ key: "some value" }, { labels }))
    expect(story.entries()).toEqual([
      {
        manager: "kubectl",
        operation: "Apply",
        apiVersion: "v1",
        time: "2026-03-04T05:06:01Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:key": {} }, "f:metadata": { "f:labels": { "f:test-label": {} } } }
      }
    ])
    story.update("kube-controller-manager", configMap({ key: "new value" }, { labels }))
    expect(story.owners()).toEqual([
      "kubectl Apply: .metadata.labels.test-label",
      "kube-controller-manager Update: .data.key"
    ])
    expect(story.apply("kubectl", configMap({ key: "some value" }, { labels }))).toBe(
      'Apply failed with 1 conflict: conflict with "kube-controller-manager" using v1: .data.key'
    )
    expect(story.apply("kubectl", configMap({ key: "some value" }, { labels }), { force: true })).toBe(
      undefined
    )
    expect(story.owners()).toEqual(["kubectl Apply: .data.key .metadata.labels.test-label"])
    expect(at(story.object(), "data.key")).toBe("some value")
  })

  it("who says nothing new changes nothing, not even the time", () => {
    const story = startStory(configMaps)
    story.apply("kubectl", configMap({ key: "value" }))
    const before = story.object()
    story.apply("kubectl", configMap({ key: "value" }))
    expect(story.object()).toEqual(before)
  })

  it("takes out what he said and says no more", () => {
    const story = startStory(deployments)
    story.apply("ci", deployment({ replicas: 3, paused: true }))
    story.apply("ci", deployment({ paused: true }))
    expect(specOf(story)).toEqual({ paused: true })
    expect(story.owners()).toEqual(["ci Apply: .spec.paused"])
  })

  it("leaves in what someone else says too, and the last one takes it out", () => {
    const story = startStory(deployments)
    story.apply("a", deployment({ replicas: 3, paused: true }))
    expect(story.apply("b", deployment({ replicas: 3, minReadySeconds: 1 }))).toBe(undefined)
    story.apply("a", deployment({ paused: true }))
    expect(specOf(story)).toEqual({ replicas: 3, paused: true, minReadySeconds: 1 })
    story.apply("b", deployment({ minReadySeconds: 1 }))
    expect(specOf(story)).toEqual({ paused: true, minReadySeconds: 1 })
  })

  it("hands a field over to who updates by saying it no more", () => {
    const story = startStory(deployments)
    story.apply("ci", deployment({ replicas: 3, paused: false }))
    story.update("autoscaler", { ...story.object(), spec: { replicas: 5, paused: false } })
    expect(story.apply("ci", deployment({ paused: false }))).toBe(undefined)
    expect(specOf(story)).toEqual({ replicas: 5, paused: false })
    expect(story.owners()).toEqual(["ci Apply: .spec.paused", "autoscaler Update: .spec.replicas"])
  })

  it("takes out a container that he had, with what a controller has put into it", () => {
    const story = startStory(deployments)
    story.apply("ci", containers({ name: "app", image: "app:v1" }, { name: "log", image: "log:v1" }))
    const env = [{ name: "X", value: "1" }]
    const withEnv = containers({ name: "app", image: "app:v1" }, { name: "log", image: "log:v1", env })
    story.update("injector", { ...story.object(), ...withEnv, metadata: story.object()["metadata"] })
    expect(story.apply("ci", containers({ name: "app", image: "app:v2" }))).toBe(undefined)
    expect(containersOf(story)).toEqual([{ name: "app", image: "app:v2" }])
    expect(story.owners()).toEqual([
      'ci Apply: .spec.template.spec.containers[name="app"] .spec.template.spec.containers[name="app"].image ' +
        '.spec.template.spec.containers[name="app"].name'
    ])
  })

  it("leaves a container that a controller has added where it is", () => {
    const story = startStory(deployments)
    story.apply("ci", containers({ name: "app", image: "app:v1" }))
    const injected = containers({ name: "proxy", image: "p:v1" }, { name: "app", image: "app:v1" })
    story.update("injector", { ...story.object(), ...injected, metadata: story.object()["metadata"] })
    story.apply("ci", containers({ name: "log", image: "log:v1" }, { name: "app", image: "app:v2" }))
    expect(containersOf(story)).toEqual([
      { name: "proxy", image: "p:v1" },
      { name: "log", image: "log:v1" },
      { name: "app", image: "app:v2" }
    ])
  })

  it("takes out a struct in which nobody owns anything, with its defaults", () => {
    const story = startStory(deployments)
    const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 3 } }
    story.apply("ci", deployment({ paused: true, strategy }))
    const defaulted = { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: "25%" } }
    // Defaults are filled in without being anyone's.
    const stored = { ...story.object(), spec: { paused: true, strategy: defaulted } }
    const result = applyConfiguration({
      kind: deployments,
      live: stored,
      configuration: deployment({ paused: true }),
      manager: "ci",
      force: false,
      nowMillis: atSecond(9)
    })
    expect(result.ok && result.object["spec"]).toEqual({ paused: true })
  })

  it("keeps what nobody owns in a struct that he still has an opinion on", () => {
    const story = startStory(deployments)
    story.apply("ci", deployment({ paused: true, replicas: 3 }))
    const stored = { ...story.object(), spec: { paused: true, replicas: 3, minReadySeconds: 0 } }
    const applied = deployment({ paused: true })
    const more = { force: false, nowMillis: atSecond(9) }
    const result = applyConfiguration({
      kind: deployments,
      live: stored,
      configuration: applied,
      manager: "ci",
      ...more
    })
    expect(result.ok && result.object["spec"]).toEqual({ paused: true, minReadySeconds: 0 })
  })

  it("owns only what he may set this way", () => {
    const story = startStory(deployments)
    const applied = { ...deployment({ replicas: 3 }), status: { replicas: 9 } }
    story.apply("ci", applied, { resetFields: [["status"]] })
    expect(story.owners()).toEqual(["ci Apply: .spec.replicas"])
    story.apply("ci", applied, { subresource: "status", resetFields: [["spec"]] })
    expect(story.owners()).toEqual(["ci Apply: .spec.replicas", "ci Apply/status: .status.replicas"])
  })

  it("finds a whole object that nobody has managed to be somebody's", () => {
    const live = { ...configMap({ key: "old", other: "x" }), metadata: { name: "test-cm", uid: "u-1" } }
    const story = startStory(configMaps)
    const result = { kind: configMaps, live, manager: "kubectl", force: false, nowMillis: atSecond(1) }
    const refused = applyConfiguration({ ...result, configuration: configMap({ key: "new" }) })
    const conflicts = !refused.ok && refused.reason === "Conflict" ? refused.conflicts : []
    expect(conflicts.map(({ owner, path }) => [owner.manager, owner.operation, owner.time, path])).toEqual([
      ["before-first-apply", "Update", "2026-03-04T05:06:01Z", ".data.key"]
    ])
    expect(story.apply("kubectl", configMap({ key: "new" }))).toBe(undefined)
  })
})

describe("kubectl, once the server applies for it", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration"
  const appliedByClient = (spec: Fields, more: Fields = {}) => {
    const said = deployment(spec)
    const annotations = { [annotation]: `${JSON.stringify(said)}\n` }
    const metadata = { name: "web", namespace: "shop", annotations }
    const story = startStory(deployments)
    story.update("kubectl-client-side-apply", { ...said, metadata, spec: { ...spec, ...more } })
    return story
  }

  it("may change what it has applied by itself, and nothing else", () => {
    const story = appliedByClient({ replicas: 3 }, { paused: true })
    expect(story.apply("kubectl", deployment({ replicas: 5, paused: false }))).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.paused'
    )
    expect(story.apply("kubectl", deployment({ replicas: 5 }))).toBe(undefined)
    expect(specOf(story)).toEqual({ replicas: 5, paused: true })
  })

  it("may not change what somebody has changed since", () => {
    const story = appliedByClient({ replicas: 3 })
    story.update("hpa", { ...story.object(), spec: { replicas: 9 } }, { subresource: "scale" })
    expect(story.apply("kubectl", deployment({ replicas: 5 }))).toBe(
      'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas'
    )
  })

  it("keeps the annotation up to date, and others leave it alone", () => {
    const story = appliedByClient({ replicas: 3 })
    const annotationOf = () => Object(at(story.object(), "metadata.annotations"))[annotation]
    const before: unknown = annotationOf()
    story.apply("ci", deployment({ paused: true }))
    expect(annotationOf()).toBe(before)
    story.apply("kubectl", deployment({ replicas: 5 }))
    expect(annotationOf()).toBe(
      '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},' +
        '"spec":{"replicas":5}}\n'
    )
  })
})

describe("lists", () => {
  it("whose key has a default are merged as if it were said", () => {
    const story = startStory(deployments)
    story.apply("a", containers({ name: "app", ports: [{ containerPort: 53, protocol: "TCP" }] }))
    const ports = [
      { containerPort: 53, name: "dns" },
      { containerPort: 53, protocol: "UDP" }
    ]
    expect(story.apply("b", containers({ name: "app", ports }))).toBe(undefined)
    expect(containersOf(story)).toEqual([
      {
        name: "app",
        ports: [
          { containerPort: 53, protocol: "TCP", name: "dns" },
          { containerPort: 53, protocol: "UDP" }
        ]
      }
    ])
  })

  it("that are sets hold what each has put into them", () => {
    const story = startStory(pods)
    const pod = (...finalizers: ReadonlyArray<string>): Fields => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", finalizers }
    })
    story.apply("a", pod("x.io/1", "x.io/2"))
    story.apply("b", pod("x.io/3", "x.io/2"))
    expect(at(story.object(), "metadata.finalizers")).toEqual(["x.io/1", "x.io/3", "x.io/2"])
    story.apply("a", pod("x.io/1"))
    expect(at(story.object(), "metadata.finalizers")).toEqual(["x.io/1", "x.io/3", "x.io/2"])
    story.apply("b", pod())
    expect(at(story.object(), "metadata.finalizers")).toEqual(["x.io/1"])
  })

  it("that are one value conflict as a whole, and so do selectors", () => {
    const story = startStory(deployments)
    const selecting = (app: string, args: ReadonlyArray<string>): Fields =>
      deployment({
        selector: { matchLabels: { app } },
        template: { spec: { containers: [{ name: "app", args }] } }
      })
    story.apply("a", selecting("web", ["-v"]))
    expect(story.apply("b", selecting("api", ["-v", "-q"]))).toBe(
      'Apply failed with 2 conflicts: conflicts with "a":\n- .spec.selector\n' +
        '- .spec.template.spec.containers[name="app"].args'
    )
  })

  it.each([
    {
      live: "a b c",
      applied: "c a",
      merged: "b c a",
      why: "the configuration's order, others where they were"
    },
    { live: "a", applied: "n a", merged: "n a", why: "a new one before what follows it" },
    { live: "p a", applied: "a n", merged: "p a n", why: "a new one after what it follows" },
    { live: "a p", applied: "n", merged: "a p n", why: "a new one last" },
    { live: "a b", applied: "a b", merged: "a b", why: "nothing new" }
  ])("$applied over $live is $merged: $why", ({ live, applied, merged }) => {
    const named = (text: string) => containers(...text.split(" ").map((name) => ({ name })))
    const story = startStory(deployments)
    story.update("a", named(live))
    expect(story.apply("b", named(applied))).toBe(undefined)
    const names = containersOf(story)
    expect(Array.isArray(names) && names.map((it) => at(it, "name")).join(" ")).toBe(merged)
  })
})

describe("conflicts", () => {
  it("are told by owner, those who scale and those who apply in their own way", () => {
    const story = startStory(deployments)
    story.apply("zeus", deployment({ minReadySeconds: 3 }))
    const live = story.object()
    story.update("edit", { ...live, spec: { minReadySeconds: 3, paused: true, revisionHistoryLimit: 2 } })
    const spec = { minReadySeconds: 3, paused: true, revisionHistoryLimit: 2, replicas: 4 }
    story.update("hpa", { ...story.object(), spec }, { subresource: "scale" })
    const applied = deployment({ minReadySeconds: 5, paused: false, revisionHistoryLimit: 9, replicas: 1 })
    expect(story.apply("ci", applied)).toBe(
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
    const result = applyConfiguration({
      kind: deployments,
      live: story.object(),
      configuration: deployment({ replicas: 1 }),
      manager: "ci",
      force: false,
      nowMillis: 0
    })
    expect(result.ok || result.reason !== "Conflict" ? [] : conflictCauses(result.conflicts)).toEqual([
      {
        reason: "FieldManagerConflict",
        message: 'conflict with "hpa" with subresource "scale" using apps/v1',
        field: ".spec.replicas"
      }
    ])
  })

  it("arise with one's own updates too", () => {
    const story = startStory(deployments)
    story.update("kubectl", deployment({ replicas: 3 }))
    expect(story.apply("kubectl", deployment({ replicas: 4 }))).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl" using apps/v1: .spec.replicas'
    )
  })
})

describe("a configuration is refused", () => {
  it.each([
    {
      why: "of another version",
      applied: { ...deployment({}), apiVersion: "apps/v1beta1" },
      message:
        "Incorrect version specified in apply patch. Specified patch version: apps/v1beta1, expected: apps/v1"
    },
    {
      why: "with owners of its own",
      applied: { ...deployment({}), metadata: { managedFields: [] } },
      message: "metadata.managedFields must be nil"
    },
    {
      why: "with fields that there are not",
      applied: deployment({ foo: 1, template: { spec: { bar: 1 } } }),
      message:
        "failed to create typed patch object (shop/web; apps/v1, Kind=Deployment): errors:\n" +
        "  .spec.foo: field not declared in schema\n  .spec.template.spec.bar: field not declared in schema"
    },
    {
      why: "with two elements of one name",
      applied: containers({ name: "app" }, { name: "app" }),
      message:
        "failed to create typed patch object (shop/web; apps/v1, Kind=Deployment): " +
        '.spec.template.spec.containers: duplicate entries for key [name="app"]'
    }
  ])("$why", ({ applied, message }) => {
    expect(startStory(deployments).apply("ci", applied)).toBe(message)
  })

  it("never by what its keys are called", () => {
    const data: Fields = JSON.parse('{"__proto__": "a", "constructor": "b", "toString": "c"}')
    const story = startStory(configMaps)
    expect(story.apply("ci", configMap(data))).toBe(undefined)
    expect(JSON.stringify(story.object()["data"])).toBe('{"__proto__":"a","constructor":"b","toString":"c"}')
    expect(story.owners()).toEqual(["ci Apply: .data.__proto__ .data.constructor .data.toString"])
  })
})

describe("a custom resource", () => {
  const kind = { ...deployments, group: "example.com", version: "v1", kind: "Service", plural: "services" }
  const gadget = (spec: Fields): Fields => ({
    apiVersion: "example.com/v1",
    kind: "Service",
    metadata: {},
    spec
  })

  it("has maps with many owners and lists with one", () => {
    const story = startStory(kind)
    story.apply("a", gadget({ size: 3, ports: [{ port: 80 }], nested: { left: 1 } }))
    expect(story.apply("b", gadget({ nested: { right: 2 } }))).toBe(undefined)
    expect(specOf(story)).toEqual({ size: 3, ports: [{ port: 80 }], nested: { left: 1, right: 2 } })
    expect(story.apply("b", gadget({ ports: [{ port: 81 }] }))).toBe(
      'Apply failed with 1 conflict: conflict with "a": .spec.ports'
    )
    story.apply("a", gadget({ nested: { left: 1 } }))
    expect(specOf(story)).toEqual({ nested: { left: 1, right: 2 } })
  })
})
