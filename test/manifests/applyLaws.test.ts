import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { applyManifest } from "../../src/manifests/applyManifests.ts"
import { type AppliedDocument } from "../../src/manifests/manifestDocument.ts"
import { makeMemoryStore } from "../../src/store/memoryStore.ts"
import { at, edited } from "../domain/admission/drafts.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"

const resource = "deployments.apps"
const key = "default/web"

const aStore = () => {
  const { store, view } = makeMemoryStore({ nowMillis: () => 0, seed: 1 })
  Effect.runSync(store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }))
  return {
    store,
    live: (): object => view.get(resource, key) ?? {},
    version: () => Effect.runSync(store.list("pods")).resourceVersion,
    apply: (draft: Draft): AppliedDocument["outcome"] | undefined =>
      Effect.runSync(applyManifest(store, draft))[0]?.outcome
  }
}

/** A valid Deployment in which every optional part may be missing. */
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

describe("laws of applying", () => {
  const settings = { seed: 31, numRuns: 150 }

  it("once is enough: the second time nothing is written, whatever was there before", () => {
    fc.assert(
      fc.property(manifests, manifests, (before, manifest) => {
        const world = aStore()
        world.apply(before)
        world.apply(manifest)
        const version = world.version()
        expect(world.apply(manifest)).toBe("unchanged")
        expect(world.version()).toBe(version)
      }),
      settings
    )
  })

  it("what comes after the first manifest of anybody is what the last one alone would have made", () => {
    fc.assert(
      fc.property(manifests, manifests, (before, manifest) => {
        const [changed, made] = [aStore(), aStore()]
        changed.apply(before)
        changed.apply(manifest)
        made.apply(manifest)
        // The order of containers that both have is the last manifest's, too.
        expect(at(changed.live(), "spec")).toEqual(at(made.live(), "spec"))
        expect(at(changed.live(), "metadata.labels")).toEqual(at(made.live(), "metadata.labels"))
      }),
      settings
    )
  })

  it("what only others have said survives", () => {
    const theirs = { name: "injected", image: "proxy:v1", imagePullPolicy: "Always" }
    fc.assert(
      fc.property(manifests, manifests, fc.boolean(), (before, manifest, inFront) => {
        const world = aStore()
        world.apply(before)
        Effect.runSync(
          world.store.modify({ resource, key }, (object) => {
            const list = at(object, "spec.template.spec.containers")
            const own = Array.isArray(list) ? list : []
            return edited(
              object,
              ["metadata.annotations.seen", "7"],
              ["spec.revisionHistoryLimit", 5],
              ["spec.template.spec.containers", inFront ? [theirs, ...own] : [...own, theirs]]
            )
          })
        )
        world.apply(manifest)
        const live = world.live()
        expect(at(live, "metadata.annotations.seen")).toBe("7")
        expect(at(live, "spec.revisionHistoryLimit")).toBe(5)
        const list = at(live, "spec.template.spec.containers")
        expect(list).toContainEqual(expect.objectContaining(theirs))
        expect(list).toHaveLength(manifest.spec.template.spec.containers.length + 1)
      }),
      settings
    )
  })
})
