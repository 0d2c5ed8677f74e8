import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { namespaceManifest } from "../builders.ts"
import { applyManifest } from "../../src/manifests/applyManifests.ts"
import { type AppliedDocument } from "../../src/manifests/manifestDocument.ts"
import { makeMemoryStore } from "../../src/store/memoryStore.ts"
import { valueAt, edited } from "../kubernetes/admission/drafts.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"

const resource = "deployments.apps"
const key = "default/web"

const aStore = () => {
  const { store, view } = makeMemoryStore({ nowMillis: () => 0, seed: 1 })
  Effect.runSync(store.create(namespaceManifest("default")))
  return {
    store,
    live: (): object => view.get(resource, key) ?? {},
    version: () => Effect.runSync(store.list("pods")).resourceVersion,
    apply: (draft: Draft): AppliedDocument["outcome"] | undefined =>
      Effect.runSync(applyManifest(store, draft))[0]?.outcome
  }
}

const manifests = fc
  .record({
    spec: fc.record(
      {
        replicas: fc.option(fc.integer({ min: 0, max: 9 }), { nil: null }),
        minReadySeconds: fc.integer({ min: 0, max: 99 }),
        paused: fc.boolean(),
        strategy: fc.constantFrom<object>(
          {},
          { type: "Recreate" },
          { type: "RollingUpdate" },
          { type: "RollingUpdate", rollingUpdate: { maxSurge: 3 } },
          { rollingUpdate: { maxUnavailable: "30%" } }
        )
      },
      { requiredKeys: [] }
    ),
    labels: fc.dictionary(fc.constantFrom("team", "tier"), fc.constantFrom("a", "b")),
    containers: fc.uniqueArray(
      fc.record(
        {
          name: fc.constantFrom("app", "log", "proxy"),
          image: fc.constantFrom("app:v3", "app:v4"),
          resources: fc.constantFrom<object>(
            {},
            { limits: { cpu: 0.5 } },
            { limits: { cpu: "500m", memory: "1024Mi" } }
          ),
          ports: fc.uniqueArray(
            fc.record(
              { containerPort: fc.constantFrom(53, 80), protocol: fc.constantFrom("TCP", "UDP") },
              { requiredKeys: ["containerPort"] }
            ),
            {
              maxLength: 3,
              selector: ({ containerPort, protocol = "TCP" }) => `${containerPort}/${protocol}`
            }
          ),
          env: fc.uniqueArray(
            fc.record({ name: fc.constantFrom("A", "B"), value: fc.constantFrom("1", "") }),
            {
              selector: ({ name }) => name
            }
          )
        },
        { requiredKeys: ["name", "image"] }
      ),
      { minLength: 1, maxLength: 3, selector: ({ name }) => name }
    ),
    volumes: fc.constantFrom<ReadonlyArray<object>>(
      [],
      [{ name: "v", emptyDir: {} }],
      [{ name: "v", configMap: { name: "c", defaultMode: 420 } }]
    )
  })
  .map(({ spec, labels, containers, volumes }) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", labels },
    spec: {
      ...spec,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers, volumes } }
    }
  }))

describe("laws of apply", () => {
  const settings = { seed: 31, numRuns: 150 }

  it("a second apply writes nothing, whatever was stored before", () => {
    fc.assert(
      fc.property(manifests, manifests, (before, manifest) => {
        const setup = aStore()
        setup.apply(before)
        setup.apply(manifest)
        const version = setup.version()
        expect(setup.apply(manifest)).toBe("unchanged")
        expect(setup.version()).toBe(version)
      }),
      settings
    )
  })

  it("after any manifest the last one gives what it gives alone", () => {
    fc.assert(
      fc.property(manifests, manifests, (before, manifest) => {
        const [changed, fresh] = [aStore(), aStore()]
        changed.apply(before)
        changed.apply(manifest)
        fresh.apply(manifest)
        // The order of common containers is also that of the last manifest.
        expect(valueAt(changed.live(), "spec")).toEqual(valueAt(fresh.live(), "spec"))
        expect(valueAt(changed.live(), "metadata.labels")).toEqual(valueAt(fresh.live(), "metadata.labels"))
      }),
      settings
    )
  })

  it("fields that only other clients wrote are kept", () => {
    const theirs = { name: "injected", image: "proxy:v1", imagePullPolicy: "Always" }
    fc.assert(
      fc.property(manifests, manifests, fc.boolean(), (before, manifest, inFront) => {
        const setup = aStore()
        setup.apply(before)
        Effect.runSync(
          setup.store.modify({ resource, key }, (object) => {
            const list = valueAt(object, "spec.template.spec.containers")
            const own = Array.isArray(list) ? list : []
            return edited(
              object,
              ["metadata.annotations.seen", "7"],
              ["spec.revisionHistoryLimit", 5],
              ["spec.template.spec.containers", inFront ? [theirs, ...own] : [...own, theirs]]
            )
          })
        )
        setup.apply(manifest)
        const live = setup.live()
        expect(valueAt(live, "metadata.annotations.seen")).toBe("7")
        expect(valueAt(live, "spec.revisionHistoryLimit")).toBe(5)
        const list = valueAt(live, "spec.template.spec.containers")
        expect(list).toContainEqual(expect.objectContaining(theirs))
        expect(list).toHaveLength(manifest.spec.template.spec.containers.length + 1)
      }),
      settings
    )
  })
})
