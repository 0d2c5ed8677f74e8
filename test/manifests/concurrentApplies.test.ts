import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { applyDocuments, applyManifest } from "../../src/manifests/applyManifests.ts"
import { readManifestObjects } from "../../src/manifests/readManifests.ts"
import { makeClientConnection } from "../../src/faults/clientConnection.ts"
import { makeMemoryStore } from "../../src/store/memoryStore.ts"
import { edited } from "../kubernetes/admission/drafts.ts"
import type { ManifestsRefused } from "../../src/manifests/manifestsRefused.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"

const object = (kind: string, name: string, more: object = {}, apiVersion = "v1"): Manifest => ({
  apiVersion,
  kind,
  metadata: { name, ...(kind === "Namespace" ? {} : { namespace: "default" }) },
  ...more
})
const configMap = (name: string): Manifest => object("ConfigMap", name)
const quota = (hard: object, name = "q"): Manifest => object("ResourceQuota", name, { spec: { hard } })
const service = (name: string, type: string, nodePort?: number): Manifest =>
  object("Service", name, {
    spec: { type, ports: [{ port: 80, ...(nodePort === undefined ? {} : { nodePort }) }] }
  })
const pod = (name: string, spec: object = {}): Manifest =>
  object("Pod", name, { spec: { containers: [{ name: "app", image: "registry.example/app:v1" }], ...spec } })
const requesting = (cpu: string) => ({
  containers: [
    { name: "app", image: "registry.example/app:v1", resources: { requests: { cpu }, limits: { cpu } } }
  ]
})
const limit = (cpu: string): Manifest =>
  object("LimitRange", "l", { spec: { limits: [{ type: "Container", max: { cpu } }] } })

const setUpStore = (before: ReadonlyArray<Manifest> = [], podsMax = 9) => {
  const { store, view } = makeMemoryStore({ nowMillis: () => 0, seed: 1, podsMax })
  const run = <A, E>(effect: Effect.Effect<A, E>): A =>
    Effect.runSync(Effect.provide(effect, TestClock.layer()))
  for (const it of [object("Namespace", "default"), ...before]) run(store.create(it))
  const apply = (manifests: ReadonlyArray<Manifest>): ReadonlyArray<string> =>
    run(
      Effect.match(applyManifest(store, manifests), {
        onSuccess: (all) => all.map(({ outcome, object: { metadata } }) => `${outcome} ${metadata.name}`),
        onFailure: ({ message }) => message.split("\n")
      })
    )
  return { store, view, run, apply, all: () => run(store.list("services")).items }
}

const definition = (kind: string, plural: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.shop.example` },
  spec: {
    group: "shop.example",
    names: { kind, plural },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }]
  }
})

describe("documents that exceed what others take, so that nothing is applied", () => {
  it.each([
    {
      why: "a new quota and what it counts",
      manifests: [quota({ "count/configmaps": "1" }), configMap("a"), configMap("b"), configMap("c")],
      errors: [
        /^manifest \(document 3\): .*configmaps "b" is forbidden: exceeded quota: q, .* used: count\/configmaps=1,/,
        /^manifest \(document 4\): .*configmaps "c" is forbidden: exceeded quota: q, .* used: count\/configmaps=1,/
      ]
    },
    {
      why: "a present quota with room for one",
      before: [quota({ "services.nodeports": "1" })],
      manifests: [service("s", "NodePort"), service("t", "ClusterIP"), service("u", "NodePort")],
      errors: [/document 3.*exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1,/]
    },
    {
      why: "a present quota without room",
      before: [quota({ "count/configmaps": "0" })],
      manifests: [object("Namespace", "shop"), configMap("a")],
      errors: [/document 2.*exceeded quota: q,/]
    },
    {
      why: "a node port of another Service",
      before: [service("s", "NodePort", 30080)],
      manifests: [configMap("a"), service("t", "NodePort", 30080)],
      errors: [/document 2.*provided port is already allocated$/]
    },
    {
      why: "a quota that counts unchanged, changed and new objects",
      before: [service("s", "ClusterIP"), service("t", "NodePort"), service("u", "NodePort")],
      manifests: [
        service("s", "NodePort"),
        service("u", "ClusterIP"),
        service("v", "NodePort"),
        quota({ "services.nodeports": "3" }),
        service("w", "NodePort")
      ],
      errors: [/document 5.*exceeded quota: q, .* used: services.nodeports=3,/]
    },
    {
      why: "a new LimitRange beside a present one",
      before: [object("LimitRange", "m", { spec: { limits: [{ type: "Container", min: { cpu: "1" } }] } })],
      manifests: [
        limit("3"),
        pod("a", requesting("500m")),
        pod("b", requesting("4")),
        pod("c", requesting("2"))
      ],
      errors: [
        /document 2.*minimum cpu usage per Container is 1, but request is 500m$/,
        /document 3.*maximum cpu usage per Container is 3, but limit is 4$/
      ]
    },
    {
      why: "a quota that is lowered first",
      before: [quota({ "count/configmaps": "9" }), configMap("a")],
      manifests: [quota({ "count/configmaps": "1" }), configMap("b")],
      errors: [/document 2.*exceeded quota: q, .* used: count\/configmaps=1, limited: count\/configmaps=1$/]
    },
    {
      why: "one node port for two Services",
      manifests: [service("s", "NodePort", 30080), service("t", "NodePort", 30080)],
      errors: [
        /document 2.*spec.ports\[0\].nodePort: Invalid value: 30080: provided port is already allocated$/
      ]
    },
    {
      why: "a new LimitRange and a Pod beyond it",
      manifests: [limit("1"), pod("a", requesting("1")), pod("b", requesting("2"))],
      errors: [/document 3.*maximum cpu usage per Container is 1, but limit is 2$/]
    },
    {
      why: "a LimitRange that is narrowed first",
      before: [limit("3")],
      manifests: [limit("1"), pod("b", requesting("2"))],
      errors: [/document 2.*maximum cpu usage per Container is 1, but limit is 2$/]
    },
    {
      why: "a quota in a Namespace that comes with them",
      manifests: [
        object("Namespace", "shop"),
        { ...quota({ "count/configmaps": "0" }), metadata: { name: "q", namespace: "shop" } },
        { ...configMap("a"), metadata: { name: "a", namespace: "shop" } }
      ],
      errors: [/document 3.*exceeded quota: q,/]
    },
    {
      why: "a service account after the Pod that names it",
      manifests: [pod("a", { serviceAccountName: "robot" }), object("ServiceAccount", "robot")],
      errors: [
        /document 1.*error looking up service account default\/robot: serviceaccount "robot" not found$/
      ]
    }
  ])("$why", ({ before = [], manifests, errors }) => {
    const { view, apply } = setUpStore(before)
    const version = view.version()
    expect(apply(manifests)).toEqual(errors.map((it) => expect.stringMatching(it)))
    expect(view.version()).toBe(version)
  })
})

describe("documents that depend on others and are applied", () => {
  it.each([
    {
      why: "a node port that another Service releases",
      before: [service("s", "NodePort", 30080)],
      manifests: [service("s", "ClusterIP"), service("t", "NodePort", 30080)],
      outcomes: ["configured s", "created t"]
    },
    {
      why: "a quota that is raised",
      before: [quota({ "count/configmaps": "0" })],
      manifests: [quota({ "count/configmaps": "2" }), configMap("a"), configMap("b")],
      outcomes: ["configured q", "created a", "created b"]
    },
    {
      why: "the service account and priority class of a Pod",
      manifests: [
        object("ServiceAccount", "robot"),
        {
          ...object("PriorityClass", "high", { value: 7 }, "scheduling.k8s.io/v1"),
          metadata: { name: "high" }
        },
        pod("a", { serviceAccountName: "robot", priorityClassName: "high" })
      ],
      outcomes: ["created robot", "created high", "created a"]
    }
  ])("$why", ({ before = [], manifests, outcomes }) => {
    expect(setUpStore(before).apply(manifests)).toEqual(outcomes)
  })
})

describe("a dry run of all documents", () => {
  it("leaves no trace in later addresses and ports", () => {
    const [tried, untried] = [setUpStore(), setUpStore()]
    tried.apply([service("s", "NodePort"), service("t", "NodePort"), service("t-", "NodePort")])
    for (const setup of [tried, untried]) setup.apply([service("u", "LoadBalancer")])
    expect(tried.all()).toEqual(untried.all())
  })

  it("passes its dry-run writes through the faulty store like any write", () => {
    const { store, view, run } = setUpStore()
    const never = () => ({ cancel: () => {}, place: { atMillis: 0, turnOrder: 0, sequence: 0 } })
    const later = { nowMillis: () => 0, after: never, resume: never }
    const clients = makeClientConnection({ store, view, timers: later, usedBy: "client" })
    const version = view.version()
    const applied = () =>
      run(
        Effect.match(applyManifest(clients.store, [configMap("a"), service("s", "ClusterIP")]), {
          onSuccess: (all) => all.length,
          onFailure: (it) => it
        })
      )
    const end = clients.faultyStore.refuseWrites({
      code: 500,
      matches: ({ resource }) => resource === "services"
    })
    const errors = applied()
    expect(String(errors)).toMatch(/document 2\): Error from server \(InternalError\): .* leader changed$/)
    expect([errors, view.version()]).toEqual([
      expect.not.objectContaining({ applied: expect.anything() }),
      version
    ])
    end()
    expect(applied()).toBe(2)
  })

  it("counts against the cluster's limit of Pods", () => {
    const { apply } = setUpStore([pod("a"), pod("b")], 4)
    expect(apply([pod("b"), pod("c"), pod("d"), pod("e")])).toEqual([
      expect.stringMatching(/document 4.*exceeded quota: cluster, requested: pods=1, used: pods=4,/)
    ])
    expect(apply([pod("b"), pod("c"), pod("d")])).toEqual(["configured b", "created c", "created d"])
  })

  it("lets objects go that wait for the removed finalizer, and releases their share", () => {
    const { store, run, view, apply } = setUpStore([], 1)
    const blocked = pod("a")
    apply([{ ...blocked, metadata: { ...blocked.metadata, finalizers: ["a.io/x"] } }])
    run(store.delete({ resource: "pods", key: "default/a" }, { gracePeriodSeconds: 0 }))
    const outcomes = apply([pod("a"), quota({ pods: "1" }), pod("b")])
    expect(outcomes).toEqual(["configured a", "created q", "created b"])
    expect([...view.all("pods")].map(({ metadata }) => metadata.name)).toEqual(["b"])
  })

  it("knows kinds that are defined in it, unlike its store", () => {
    const { store, run, view } = setUpStore([definition("Gadget", "gadgets")])
    const dryRunStore = store.beginDryRun?.()
    if (dryRunStore === undefined) throw new Error("the store has no dry run")
    run(dryRunStore.create(definition("Widget", "widgets")))
    for (const kind of ["Widget", "Gadget"]) {
      expect(run(dryRunStore.create(object(kind, "one", {}, "shop.example/v1"))).metadata.name).toBe("one")
    }
    expect(run(Effect.flip(store.create(object("Widget", "one", {}, "shop.example/v1"))))._tag).toBe(
      "BadRequest"
    )
    expect(view.kinds.custom().map(({ kind }) => kind)).toEqual(["Gadget"])
  })

  const anyManifest = fc.oneof(
    fc.record({ of: fc.constant("ConfigMap" as const), name: fc.constantFrom("a", "b", "c") }),
    fc.record({
      of: fc.constant("Service" as const),
      name: fc.constantFrom("s", "t", "u"),
      type: fc.constantFrom("ClusterIP", "NodePort", "LoadBalancer"),
      port: fc.constantFrom(undefined, 30080, 30086)
    }),
    fc.record({
      of: fc.constant("Pod" as const),
      name: fc.constantFrom("p", "r"),
      cpu: fc.constantFrom("1", "3")
    }),
    fc.record({
      of: fc.constant("LimitRange" as const),
      name: fc.constant("l"),
      cpu: fc.constantFrom("2", "4")
    }),
    fc.record({
      of: fc.constant("ResourceQuota" as const),
      name: fc.constantFrom("q", "v"),
      maps: fc.nat(3),
      open: fc.nat(3),
      cpu: fc.nat(5)
    })
  )
  const manifestOf = (it: typeof anyManifest extends fc.Arbitrary<infer A> ? A : never): Manifest => {
    switch (it.of) {
      case "ConfigMap":
        return configMap(it.name)
      case "Service":
        return service(it.name, it.type, it.type === "ClusterIP" ? undefined : it.port)
      case "Pod":
        return pod(it.name, requesting(it.cpu))
      case "LimitRange":
        return limit(it.cpu)
      case "ResourceQuota": {
        const { maps, open, cpu } = it
        return quota(
          { "count/configmaps": `${maps}`, "services.nodeports": `${open}`, "limits.cpu": `${cpu}` },
          it.name
        )
      }
    }
  }
  const someManifests = (max: number) =>
    fc
      .uniqueArray(anyManifest, { minLength: 1, maxLength: max, selector: ({ of, name }) => `${of}/${name}` })
      .map((all) => all.map(manifestOf))

  it("predicts for each document the outcome of applying them one by one", () => {
    let refusals = 0
    fc.assert(
      fc.property(someManifests(5), someManifests(7), (before, manifests) => {
        const [together, apart] = [setUpStore(), setUpStore()]
        for (const { store, run } of [together, apart]) run(Effect.ignore(applyManifest(store, before)))
        const { documents } = readManifestObjects(manifests)
        const versionBefore = together.view.version()
        const refusal = together.run(
          Effect.match(applyDocuments(together.store, documents), {
            onSuccess: () => undefined,
            onFailure: (it) => it
          })
        )
        const problems = documents.flatMap((document) =>
          apart.run(
            Effect.match(applyDocuments(apart.store, [document]), {
              onSuccess: () => [],
              onFailure: (it: ManifestsRefused) => it.problems
            })
          )
        )
        expect(refusal?.problems ?? []).toEqual(problems)
        if (refusal === undefined) expect(everything(together)).toEqual(everything(apart))
        else {
          refusals += 1
          expect([together.view.version(), refusal.applied]).toEqual([versionBefore, undefined])
        }
      }),
      { seed: 5, numRuns: 150 }
    )
    expect(refusals).toBeGreaterThan(20)
  })

  /** The managed fields have the time of this machine. */
  const everything = ({ run, store }: ReturnType<typeof setUpStore>) =>
    (["services", "configmaps", "pods", "resourcequotas", "limitranges"] as const).map((resource) =>
      run(store.list(resource)).items.map((it) => edited(it, ["metadata.managedFields", undefined]))
    )
})
