import type { Fields } from "../../../src/kubernetes/meta/fields.ts"
import { describe, expect, it } from "vitest"
import {
  applyConfiguration,
  type ApplyResult
} from "../../../src/kubernetes/apply/managedFields/serverSideApply.ts"
import { conflictCauses } from "../../../src/kubernetes/apply/managedFields/fieldConflicts.ts"
import { at, deployments, kindNamed, pods } from "../admission/drafts.ts"
import { atSecond, startStory, type Story } from "../managedFields/story.ts"

const deployment = (spec: Fields, more: Fields = {}): Fields => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", ...more },
  spec
})

const pod = (more: Fields, spec?: Fields): Fields => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", ...more },
  ...(spec === undefined ? {} : { spec })
})

const containers = (...list: ReadonlyArray<unknown>): Fields => pod({}, { containers: list })

/** The object as it is, but for its spec. */
const withSpec = (story: Story, spec: unknown): Fields => ({ ...story.object(), spec })

/** The object with finalizers, and with its owners as they are. */
const withFinalizers = (story: Story, ...finalizers: ReadonlyArray<string>): Fields => ({
  ...story.object(),
  metadata: { ...Object(story.object()["metadata"]), finalizers }
})

const appliedAgain = (story: Story, applied: Fields, manager = "a"): ApplyResult =>
  applyConfiguration({
    kind: deployments,
    live: story.object(),
    configuration: applied,
    manager,
    force: false,
    nowMillis: atSecond(50)
  })

describe("the entry of who applies", () => {
  it("is not there when he says nothing", () => {
    const story = startStory(pods)
    story.apply("a", pod({}, { hostname: "web" }), { subresource: "" })
    expect(story.owners()).toEqual(["a Apply: .spec.hostname"])
    story.apply("a", pod({}))
    expect(story.owners()).toEqual([])
  })

  it("has the time of the last apply that changed something", () => {
    const story = startStory(deployments)
    for (const replicas of [3, 5, 5]) story.apply("a", deployment({ replicas }))
    expect(story.entries().map(({ time }) => time)).toEqual(["2026-03-04T05:06:02Z"])
  })

  it("is the very same, and so is the object, when nothing changes", () => {
    const story = startStory(deployments)
    const said = deployment(
      { template: { spec: { containers: [{ name: "a", image: "a:v1" }, { name: "b" }] } } },
      { finalizers: ["x.io/1"] }
    )
    story.apply("a", said)
    const again = appliedAgain(story, structuredClone(said))
    expect(again.ok && again.object).toBe(story.object())
    expect(again.ok && again.managedFields[0]).toBe(story.entries()[0])
  })

  it("is not needed by an empty struct that Go has anyway, and is by one that is optional", () => {
    const story = startStory(pods)
    story.apply("a", containers({ name: "app", resources: {}, securityContext: {} }))
    const app = '.spec.containers[name="app"]'
    const owned = `a Apply: ${app} ${app}.name ${app}.resources`
    expect(story.owners()).toEqual([`${owned} ${app}.securityContext`])
    story.update("editor", withSpec(story, { containers: [{ name: "app" }] }))
    expect(story.owners()).toEqual([owned])
  })

  it("has nothing of a container that goes, not even that", () => {
    const story = startStory(pods)
    story.apply("a", containers({ name: "app", resources: {} }))
    story.update("editor", withSpec(story, { containers: [{ name: "other" }] }))
    expect(story.owners().filter((text) => text.startsWith("a "))).toEqual([])
  })
})

describe("what is merged", () => {
  it.each([
    { live: "a q", applied: "n a", merged: "n a q", why: "a new one goes with the next that both have" },
    { live: "a p b", applied: "a b", merged: "a p b", why: "what stands between two stays between them" },
    { live: "a p b q c", applied: "a b c", merged: "a p b q c", why: "and so do more" },
    { live: "a p b q c", applied: "a b n c", merged: "a p b q n c", why: "with a new one before the last" }
  ])("$applied over $live is $merged: $why", ({ live, applied, merged }) => {
    const named = (text: string) => containers(...text.split(" ").map((name) => ({ name })))
    const story = startStory(pods)
    story.update("b", named(live))
    expect(story.apply("a", named(applied))).toBe(undefined)
    expect(at(story.object(), "spec.containers")).toEqual(merged.split(" ").map((name) => ({ name })))
  })

  it.each<{
    readonly why: string
    readonly live: Fields
    readonly applied: Fields
    readonly path: string
    readonly value: unknown
  }>([
    {
      why: "an empty list that is one value takes the place of another",
      live: containers({ name: "a", args: ["-v"] }),
      applied: containers({ name: "a", args: [] }),
      path: "spec.containers",
      value: [{ name: "a", args: [] }]
    },
    {
      why: "an empty list with keys says nothing",
      live: containers({ name: "a" }),
      applied: containers(),
      path: "spec.containers",
      value: [{ name: "a" }]
    },
    {
      why: "and is none where there is none",
      live: pod({}, {}),
      applied: containers(),
      path: "spec",
      value: {}
    },
    {
      why: "a reference is one value, in which nothing of another stays",
      live: pod({}, { volumes: [{ name: "v", csi: { nodePublishSecretRef: { name: "s", other: "x" } } }] }),
      applied: pod({}, { volumes: [{ name: "v", csi: { nodePublishSecretRef: { name: "t" } } }] }),
      path: "spec.volumes",
      value: [{ name: "v", csi: { nodePublishSecretRef: { name: "t" } } }]
    },
    {
      why: "a variable that is there twice is made anew",
      live: containers({ name: "a", env: [{ name: "X", valueFrom: {} }, { name: "X" }, { name: "Y" }] }),
      applied: containers({ name: "a", env: [{ name: "X", value: "3" }] }),
      path: "spec.containers",
      value: [{ name: "a", env: [{ name: "X", value: "3" }, { name: "Y" }] }]
    },
    {
      why: "what is twice in a set is there once",
      live: pod({ finalizers: ["x.io/1", "x.io/1"] }),
      applied: pod({ finalizers: ["x.io/1"] }),
      path: "metadata.finalizers",
      value: ["x.io/1"]
    }
  ])("$why", ({ live, applied, path, value }) => {
    const story = startStory(pods)
    story.update("b", live)
    expect(story.apply("a", applied, { force: true })).toBe(undefined)
    expect(at(story.object(), path)).toEqual(value)
  })
})

describe("what nobody says any more goes", () => {
  it("with a field and an element at once", () => {
    const story = startStory(pods)
    story.apply("a", pod({}, { hostname: "web", containers: [{ name: "a" }, { name: "b" }] }))
    story.apply("a", containers({ name: "a" }))
    expect(story.object()["spec"]).toEqual({ containers: [{ name: "a" }] })
  })

  it("a map that is said to be there stays, with nothing in it", () => {
    const story = startStory(pods)
    story.apply("a", pod({ labels: { app: "web" } }))
    story.apply("a", pod({ labels: {} }))
    expect(at(story.object(), "metadata")).toMatchObject({ labels: {} })
    expect(story.owners()).toEqual(["a Apply: .metadata.labels"])
  })

  it("a list of which nothing is left goes, though someone has put it there", () => {
    const story = startStory(pods)
    story.update("b", pod({ finalizers: ["x.io/1"] }))
    story.apply("a", pod({ finalizers: ["x.io/1", "x.io/2"] }))
    story.update("c", withFinalizers(story, "x.io/2"))
    expect(story.owners()).toEqual([
      'a Apply: .metadata.finalizers[="x.io/2"]',
      "b Update: .metadata.finalizers"
    ])
    story.apply("a", pod({}))
    expect(Object.keys(Object(story.object()["metadata"]))).not.toContain("finalizers")
  })

  it("an element in which he had a field stays when it was not he who had put it there", () => {
    const story = startStory(pods)
    const inside = { "f:spec": { "f:containers": { 'k:{"name":"app"}': { "f:image": {} } } } }
    const entry = {
      manager: "a",
      operation: "Apply",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: inside
    }
    story.update("b", containers({ name: "app", image: "app:v1" }))
    story.update("b", { ...story.object(), metadata: { name: "web", managedFields: [entry] } })
    story.apply("b", containers({ name: "proxy" }))
    story.apply("a", pod({}))
    expect(at(story.object(), "spec.containers")).toEqual([{ name: "app" }, { name: "proxy" }])
  })

  it("nothing of an element that is there twice", () => {
    const story = startStory(pods)
    const env = (...list: ReadonlyArray<Fields>) => containers({ name: "app", env: list })
    story.apply("a", env({ name: "X", value: "1" }))
    story.apply("b", env({ name: "X" }))
    const twice = [
      { name: "X", value: "1" },
      { name: "X", value: "2" }
    ]
    story.update("c", withSpec(story, { containers: [{ name: "app", env: twice }] }))
    expect(story.apply("a", containers({ name: "app" }))).toBe(undefined)
    expect(at(story.object(), "spec.containers")).toEqual([{ name: "app", env: twice }])
  })
})

describe("kubectl, once the server applies for it", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration"
  const clientApplied = (spec: Fields): Story => {
    const annotations = { [annotation]: `${JSON.stringify(deployment(spec))}\n` }
    const story = startStory(deployments)
    story.update("kubectl-client-side-apply", deployment(spec, { annotations }))
    return story
  }
  const annotationIn = (story: Story): unknown =>
    Object(at(story.object(), "metadata.annotations"))[annotation]

  it("leaves it to itself to change what it has applied before", () => {
    const story = clientApplied({ replicas: 3 })
    expect(story.apply("ci", deployment({ replicas: 5 }))).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.replicas'
    )
  })

  it.each(["not json", "[]", "null", '"text"'])("has applied nothing where the annotation is %s", (text) => {
    const story = startStory(deployments)
    const annotations = { [annotation]: text }
    story.update("kubectl-client-side-apply", deployment({ replicas: 3 }, { annotations }))
    expect(story.apply("kubectl", deployment({ replicas: 5 }))).toContain(".spec.replicas")
  })

  it("gets no annotation where there was none", () => {
    const story = startStory(deployments)
    story.apply("kubectl", deployment({ replicas: 3 }, { annotations: { team: "a" } }))
    expect(at(story.object(), "metadata.annotations")).toEqual({ team: "a" })
  })

  it("keeps in it the other annotations, and its keys in order", () => {
    const story = clientApplied({ replicas: 3 })
    const said = { annotations: { team: "a", [annotation]: "old" } }
    expect(story.apply("kubectl", deployment({ replicas: 5, paused: true }, said), { force: true })).toBe(
      undefined
    )
    expect(annotationIn(story)).toBe(
      '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"team":"a"},"name":"web",' +
        '"namespace":"shop"},"spec":{"paused":true,"replicas":5}}\n'
    )
  })

  it("changes nothing by saying it again", () => {
    const story = clientApplied({ replicas: 3 })
    story.apply("kubectl", deployment({ replicas: 5 }))
    const again = appliedAgain(story, deployment({ replicas: 5 }), "kubectl")
    expect(again.ok && again.object).toBe(story.object())
  })

  it("may not change within an element that it had named twice", () => {
    const env = (...list: ReadonlyArray<Fields>) => ({
      template: { spec: { containers: [{ name: "app", env: list }] } }
    })
    const story = clientApplied(env({ name: "X", value: "1" }, { name: "X", value: "2" }))
    story.update("editor", withSpec(story, env({ name: "X", value: "7" })))
    story.update("injector", withSpec(story, env({ name: "X", value: "8" })))
    expect(story.apply("kubectl", deployment(env({ name: "X", value: "9" })))).toBe(
      'Apply failed with 1 conflict: conflict with "injector" using apps/v1: ' +
        '.spec.template.spec.containers[name="app"].env[name="X"].value'
    )
  })
})

describe("conflicts", () => {
  it("with one who writes in two ways are told apart, what went by a subresource first", () => {
    const story = startStory(deployments)
    story.update("edit", deployment({ paused: true }))
    story.update("edit", withSpec(story, { paused: true, replicas: 4 }), { subresource: "scale" })
    const result = appliedAgain(story, deployment({ paused: false, replicas: 1 }))
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

describe("a configuration is refused", () => {
  const where = "failed to create typed patch object (/web; v1, Kind=Pod): "
  it.each([
    {
      why: "without a version",
      applied: { kind: "Pod" },
      message: "Incorrect version specified in apply patch. Specified patch version: , expected: v1"
    },
    {
      why: "with one finalizer twice",
      applied: pod({ finalizers: ["x.io/1", "x.io/1"] }),
      message: `${where}.metadata.finalizers: duplicate entries for key [="x.io/1"]`
    },
    {
      why: "with a name for a container, after what is wrong with the first",
      applied: containers({ name: "a", foo: 1 }, "app", "app"),
      message:
        `${where}errors:\n  .spec.containers[name="a"].foo: field not declared in schema\n` +
        "  .spec.containers: element 1: associative list with keys may not have non-map elements"
    },
    {
      why: "with a map for a finalizer",
      applied: pod({ finalizers: [{ name: "x.io/1" }] }),
      message: `${where}.metadata.finalizers: element 0: associative list without keys has an element that's a map type`
    },
    {
      why: "with a list for a finalizer",
      applied: pod({ finalizers: [["x.io/1"]] }),
      message: `${where}.metadata.finalizers: element 0: not supported: associative list with lists as elements`
    },
    {
      why: "with nothing for a finalizer",
      applied: pod({ finalizers: [null] }),
      message: `${where}.metadata.finalizers: element 0: associative list without keys has an element that's an explicit null`
    }
  ])("$why", ({ applied, message }) => {
    expect(startStory(pods).apply("ci", applied)).toBe(message)
  })

  it("more than five hundred levels deep", () => {
    const gadgets = { ...deployments, group: "example.com", version: "v1", kind: "Gadget", plural: "gadgets" }
    const gadget = (levels: number): Fields => ({
      apiVersion: "example.com/v1",
      kind: "Gadget",
      metadata: { name: "g" },
      spec: JSON.parse(`${'{"a":'.repeat(levels - 1)}1${"}".repeat(levels - 1)}`)
    })
    expect(startStory(gadgets).apply("ci", gadget(500))).toBe(undefined)
    expect(startStory(gadgets).apply("ci", gadget(501))).toBe(
      "failed to create typed patch object (/g; example.com/v1, Kind=Gadget): .spec.a.a…: nested too deeply"
    )
  })
})

describe("a selector", () => {
  it("is replaced as a whole by who has said it", () => {
    const story = startStory(kindNamed("Service"))
    const service = (selector: Fields): Fields => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: { selector }
    })
    story.apply("a", service({ app: "web" }))
    story.apply("a", service({ tier: "front" }))
    expect(at(story.object(), "spec.selector")).toEqual({ tier: "front" })
  })
})
