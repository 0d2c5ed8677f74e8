import { describe, expect, it } from "vitest"
import { makeNameGenerator } from "../../../src/store/writes/nameGenerator.ts"
import { hasUidMismatch } from "../../../src/store/storeErrors.ts"
import { aTime, namespaceManifest } from "../../builders.ts"
import {
  aConfigMapDraft,
  aDeploymentDraft,
  aPodDraft,
  aReplicaSetDraft,
  aStore,
  refusalOf,
  run,
  withChanges
} from "../testStore.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { LooseDraft } from "../../builders.ts"

const specOf = (object: KubeObject): object => ("spec" in object ? Object(object.spec) : {})
const statusOf = (object: KubeObject): object => ("status" in object ? Object(object.status) : {})

describe("a create", () => {
  it("sets identity and an empty status, whatever the client sends", () => {
    const { store } = aStore()
    const draft = aDeploymentDraft({
      uid: "mine",
      creationTimestamp: aTime(-99),
      deletionTimestamp: aTime(-9),
      deletionGracePeriodSeconds: 5,
      generation: 17,
      selfLink: "/x"
    })
    const { metadata, ...made } = run(store.create({ ...draft, status: { replicas: 9 } } as LooseDraft))
    expect(metadata).toEqual({
      name: "web",
      namespace: "shop",
      uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      resourceVersion: "2",
      creationTimestamp: aTime(0),
      generation: 1
    })
    expect(made).toMatchObject({ status: {} })
  })

  it.each([
    {
      why: "with a resourceVersion",
      draft: aPodDraft({ resourceVersion: "3" }),
      message: "resourceVersion should not be set on objects to be created"
    },
    {
      why: "in a missing namespace",
      draft: aPodDraft({ namespace: "moon" }),
      message: 'namespaces "moon" not found'
    },
    {
      why: "of an unknown kind",
      draft: { ...aPodDraft(), kind: "Ship" },
      message: 'no matches for kind "Ship" in version "v1"'
    }
  ])("is refused $why", ({ draft, message }) => {
    const { store, version } = aStore()
    expect(refusalOf(store.create(draft)).message).toBe(message)
    expect(version()).toBe(1)
  })

  it("of a taken name is refused, with a note if the object is being deleted", () => {
    const { store } = aStore()
    run(store.create(aDeploymentDraft()))
    expect(refusalOf(store.create(aDeploymentDraft())).message).toBe('deployments.apps "web" already exists')
    run(store.delete({ resource: "deployments.apps", key: "shop/web" }, { propagationPolicy: "Foreground" }))
    expect(refusalOf(store.create(aDeploymentDraft())).message).toBe(
      'object is being deleted: deployments.apps "web" already exists'
    )
  })

  it("in a terminating namespace is refused with cause NamespaceTerminating", () => {
    const { store } = aStore()
    run(store.delete({ resource: "namespaces", key: "shop" }))
    expect(refusalOf(store.create(aPodDraft({ name: "p" })))).toMatchObject({
      _tag: "Forbidden",
      cause: "NamespaceTerminating",
      message:
        'pods "p" is forbidden: unable to create new content in namespace shop because it is being terminated'
    })
  })
})

describe("a generated name", () => {
  /** The names that the store will generate after so many uids. */
  const upcoming = (seed: number, objects: number, count: number): ReadonlyArray<string> => {
    const { uid, nameFor } = makeNameGenerator(seed)
    for (let made = 0; made < objects; made += 1) uid()
    return Array.from({ length: count }, () => nameFor("web-"))
  }
  const generated = aPodDraft({ name: "", generateName: "web-" })

  it("is generateName, shortened if necessary, and five letters without vowels", () => {
    const { store } = aStore()
    const made = run(store.create(generated))
    expect(made.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(made.metadata.generateName).toBe("web-")
    const long = run(store.create(aPodDraft({ name: "", generateName: "x".repeat(70) })))
    expect(long.metadata.name).toMatch(/^x{58}[a-z0-9]{5}$/)
  })

  it("is not used when there is a name", () => {
    const { store } = aStore()
    const { metadata } = run(store.create(aPodDraft({ name: "mine", generateName: "web-" })))
    expect([metadata.name, metadata.generateName]).toEqual(["mine", "web-"])
  })

  it.each([0, 1, 3, 7])("is generated anew when taken %i times in a row", (times) => {
    const { store } = aStore({ seed: 11 })
    const names = upcoming(11, 1 + times, times + 1)
    for (const name of names.slice(0, times)) run(store.create(aPodDraft({ name })))
    expect(run(store.create(generated)).metadata.name).toBe(names.at(-1))
  })

  it("is given up after eight attempts", () => {
    const { store } = aStore({ seed: 11 })
    const names = upcoming(11, 9, 8)
    for (const name of names) run(store.create(aPodDraft({ name })))
    expect(refusalOf(store.create(generated)).message).toBe(
      `pods "${names[7]}" already exists, the server was not able to generate a unique name for the object`
    )
  })
})

describe("an update", () => {
  const setUp = () => {
    const { store, version } = aStore()
    const first = run(store.create(aDeploymentDraft()))
    const second = run(store.update(withChanges(first, { labels: { team: "red" } })))
    return { store, version, first, second }
  }

  it("with an old resourceVersion is refused and changes nothing", () => {
    const { store, version, first } = setUp()
    expect(refusalOf(store.update(withChanges(first, { labels: { team: "blue" } }))).message).toBe(
      'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your ' +
        "changes to the latest version and try again"
    )
    expect(version()).toBe(3)
  })

  it.each(["", "0"])("with resourceVersion '%s' is unconditional", (resourceVersion) => {
    const { store, first } = setUp()
    const made = run(store.update(withChanges(first, { labels: { team: "blue" }, resourceVersion })))
    expect(made.metadata.labels).toEqual({ team: "blue" })
  })

  it("for another uid is refused", () => {
    const { store, second } = setUp()
    expect(refusalOf(store.update(withChanges(second, { uid: "another" })))).toMatchObject({
      _tag: "Conflict"
    })
    const ref = { resource: "deployments.apps", key: "shop/web" }
    expect(refusalOf(store.modify(ref, (it) => it, { uid: "another" })).message).toContain(
      "field is immutable"
    )
  })

  it("for another uid is recognised by hasUidMismatch, for each verb", () => {
    const { store, first, second } = setUp()
    const ref = { resource: "deployments.apps", key: "shop/web" }
    const uid = "another"
    const mismatches = [
      store.update(withChanges(second, { uid })),
      store.modify(ref, (it) => it, { uid }),
      store.modify(ref, (it) => withChanges(it, { uid })),
      store.delete(ref, { preconditions: { uid } })
    ]
    const others = [
      store.update(first),
      store.update(withChanges(second, { labels: { "": "" } })),
      store.modify(ref, () => first),
      store.delete(ref, { preconditions: { resourceVersion: "1" } }),
      store.delete({ ...ref, key: "shop/moon" }, { preconditions: { uid } })
    ]
    expect([mismatches, others].map((all) => all.map((it) => hasUidMismatch(refusalOf(it))))).toEqual([
      [true, true, true, true],
      [false, false, false, false, false]
    ])
  })

  it("of a missing object is refused", () => {
    const { store, second } = setUp()
    expect(refusalOf(store.update(withChanges(second, { name: "moon" })))).toMatchObject({ _tag: "NotFound" })
    const ref = { resource: "deployments.apps", key: "shop/moon" }
    expect(refusalOf(store.modify(ref, (it) => it)).message).toBe('deployments.apps "moon" not found')
  })

  it("keeps the fields that the server sets", () => {
    const { store, second } = setUp()
    const made = run(
      store.update({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web", namespace: "shop", labels: { team: "blue" } },
        spec: specOf(second),
        status: { replicas: 99 }
      } as LooseDraft)
    )
    const { uid, creationTimestamp } = second.metadata
    expect(made.metadata).toMatchObject({ uid, creationTimestamp, resourceVersion: "4", generation: 1 })
    expect(statusOf(made)).toEqual({})
  })

  it("of a namespace keeps its finalizers", () => {
    const { store } = aStore()
    run(store.update(namespaceManifest("shop", { labels: { a: "b" } })))
    run(store.delete({ resource: "namespaces", key: "shop" }))
    const left = run(store.get({ resource: "namespaces", key: "shop" }))
    expect(left.spec).toEqual({ finalizers: ["kubernetes"] })
    expect(left.status.phase).toBe("Terminating")
  })
})

describe("metadata.generation", () => {
  const replicas = (of: number) => ({ spec: (it: KubeObject) => ({ ...specOf(it), replicas: of }) })
  interface Row {
    readonly why: string
    readonly draft: LooseDraft
    readonly metadata?: LooseDraft["metadata"]
    readonly spec?: (it: KubeObject) => object
    readonly generation: number | undefined
  }
  it.each<Row>([
    { why: "other replicas", draft: aDeploymentDraft(), ...replicas(5), generation: 2 },
    {
      why: "another annotation of a Deployment",
      draft: aDeploymentDraft(),
      metadata: { annotations: { a: "b" } },
      generation: 2
    },
    {
      why: "an empty map of annotations",
      draft: aDeploymentDraft(),
      metadata: { annotations: {} },
      generation: 1
    },
    { why: "another label", draft: aDeploymentDraft(), metadata: { labels: { a: "b" } }, generation: 1 },
    { why: "a finalizer", draft: aDeploymentDraft(), metadata: { finalizers: ["x.io/y"] }, generation: 1 },
    { why: "other replicas of a ReplicaSet", draft: aReplicaSetDraft(), ...replicas(5), generation: 2 },
    {
      why: "another annotation of a ReplicaSet",
      draft: aReplicaSetDraft(),
      metadata: { annotations: { a: "b" } },
      generation: 1
    },
    {
      why: "a generation stated by the client",
      draft: aReplicaSetDraft(),
      metadata: { generation: 1, labels: { a: "b" } },
      generation: 1
    },
    {
      why: "an empty list",
      draft: aPodDraft(),
      metadata: { labels: { a: "b" } },
      spec: (it) => ({ ...specOf(it), imagePullSecrets: [], nodeSelector: {} }),
      generation: 1
    },
    {
      why: "another image of a Pod",
      draft: aPodDraft(),
      spec: (it) => ({ ...specOf(it), activeDeadlineSeconds: 99 }),
      generation: 2
    },
    {
      why: "a kind without generations",
      draft: aConfigMapDraft(),
      metadata: { labels: { a: "b" } },
      generation: undefined
    }
  ])("of $draft.kind is $generation: $why", ({ draft, metadata = {}, spec, generation }) => {
    const { store } = aStore()
    const made = run(store.create(draft))
    const next = run(
      store.update(withChanges(made, metadata, spec === undefined ? {} : { spec: spec(made) }))
    )
    expect(next.metadata.generation).toBe(generation)
  })

  it("stays when quantities are equal by value", () => {
    const { store } = aStore()
    const containers = (cpu: string) => [{ name: "app", image: "i:v1", resources: { requests: { cpu } } }]
    const template = (cpu: string) => ({
      metadata: { labels: { app: "web" } },
      spec: { containers: containers(cpu) }
    })
    const made = run(store.create(aDeploymentDraft({}, { template: template("1") })))
    const next = run(store.update(aDeploymentDraft({}, { template: template("1000m") })))
    expect(next).toBe(made)
  })

  it("stays when status and annotations are written by updateStatus", () => {
    const { store } = aStore()
    const made = run(store.create(aDeploymentDraft()))
    const next = run(
      store.updateStatus(withChanges(made, { annotations: { revision: "1" } }, { status: { replicas: 2 } }))
    )
    expect(next.metadata).toMatchObject({ generation: 1, annotations: { revision: "1" } })
  })

  it("rises with deletion, once", () => {
    const { store } = aStore()
    run(store.create(aDeploymentDraft({ finalizers: ["x.io/y"] })))
    const ref = { resource: "deployments.apps", key: "shop/web" }
    expect(run(store.delete(ref)).metadata.generation).toBe(2)
    expect(run(store.delete(ref)).metadata.generation).toBe(2)
  })
})

describe("a status write", () => {
  it("of a Deployment keeps spec and labels, and takes annotations and finalizers", () => {
    const { store } = aStore()
    const made = run(store.create(aDeploymentDraft({ labels: { a: "1" } })))
    const next = run(
      store.updateStatus(
        withChanges(
          made,
          { labels: { a: "2" }, annotations: { b: "3" }, finalizers: ["x.io/y"] },
          { spec: { ...specOf(made), replicas: 9 }, status: { observedGeneration: 1 } }
        )
      )
    )
    expect(specOf(next)).toBe(specOf(made))
    expect(next.metadata).toMatchObject({
      labels: { a: "1" },
      annotations: { b: "3" },
      finalizers: ["x.io/y"]
    })
    expect(statusOf(next)).toEqual({ observedGeneration: 1 })
  })

  it("of a Deployment without labels adds none", () => {
    const { store } = aStore()
    const made = run(store.create(aDeploymentDraft()))
    const next = run(
      store.updateStatus(withChanges(made, { labels: { a: "2" } }, { status: { replicas: 1 } }))
    )
    expect(next.metadata).not.toHaveProperty("labels")
  })

  it("of a ReplicaSet keeps the spec only", () => {
    const { store } = aStore()
    const made = run(store.create(aReplicaSetDraft({ labels: { a: "1" } })))
    const next = run(
      store.updateStatus(withChanges(made, { labels: { a: "2" } }, { spec: {}, status: { replicas: 1 } }))
    )
    expect(specOf(next)).toBe(specOf(made))
    expect(next.metadata.labels).toEqual({ a: "2" })
  })

  it("of a Pod keeps its owners, and cannot set deletionTimestamp", () => {
    const { store } = aStore()
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid: "u", controller: true }
    const made = run(store.create(aPodDraft({ ownerReferences: [owner] })))
    const { ownerReferences: _owners, ...metadata } = made.metadata
    const next = run(store.updateStatus({ ...made, metadata, status: { phase: "Running" } } as LooseDraft))
    expect(next.metadata.ownerReferences).toEqual([owner])
    const other = withChanges(
      made,
      { ownerReferences: [], resourceVersion: "" },
      { status: { phase: "Failed" } }
    )
    expect(run(store.updateStatus(other)).metadata.ownerReferences).toEqual([owner])
    const going = withChanges(made, { deletionTimestamp: aTime(5), resourceVersion: "" })
    expect(run(store.updateStatus(going)).metadata).not.toHaveProperty("deletionTimestamp")
  })

  it("with an old resourceVersion is refused", () => {
    const { store } = aStore()
    const made = run(store.create(aDeploymentDraft()))
    run(store.updateStatus(withChanges(made, {}, { status: { replicas: 1 } })))
    expect(refusalOf(store.updateStatus(withChanges(made, {}, { status: { replicas: 2 } })))).toMatchObject({
      _tag: "Conflict"
    })
  })
})
