import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { namespaceManifest } from "../builders.ts"
import { applyManifest } from "../../src/manifests/applyManifests.ts"
import { makeMemoryStore } from "../../src/store/memoryStore.ts"
import { Conflict } from "../../src/store/storeErrors.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"

/** A store of a real cluster: it can dry-run one write, but not several in sequence. */
const setUpStore = (before: ReadonlyArray<Manifest> = []) => {
  const { store, view } = makeMemoryStore({ nowMillis: () => 0, seed: 1 })
  const run = Effect.runSync
  for (const it of [namespaceManifest("default"), ...before]) {
    run(store.create(it))
  }
  const { get, create, update } = store
  const apply = (
    manifests: ReadonlyArray<Manifest>,
    storeApi = { get, create, update }
  ): string | ReadonlyArray<string> =>
    run(
      Effect.match(applyManifest(storeApi, manifests), {
        onSuccess: (all) => all.map(({ outcome, object: { metadata } }) => `${outcome} ${metadata.name}`),
        onFailure: ({ message }) => message
      })
    )
  return { view, apply, update, get, create }
}

const object = (kind: string, name: string, more: object = {}, namespace = "default"): Manifest => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace },
  ...more
})
const configMap = (name: string, namespace?: string): Manifest => object("ConfigMap", name, {}, namespace)
const shop: Manifest = namespaceManifest("shop")
const high = {
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name: "high" },
  value: 7
}
const pod = (more: object): Manifest =>
  object("Pod", "p", { spec: { containers: [{ name: "app", image: "registry.example/app:v1" }], ...more } })
const bounds = object("ResourceQuota", "q", { spec: { hard: { "count/configmaps": "1" } } })

describe("manifests for a store without beginDryRun", () => {
  it.each([
    {
      why: "are dry-run without the content of a Namespace that comes with them",
      manifests: [configMap("a", "shop"), shop],
      outcomes: ["created shop", "created a"]
    },
    {
      why: "are dry-run without a service account and priority class that come before them",
      manifests: [
        object("ServiceAccount", "robot"),
        high,
        pod({ serviceAccountName: "robot", priorityClassName: "high" })
      ],
      outcomes: ["created robot", "created high", "created p"]
    },
    {
      why: "are dry-run without the present service account, whatever else they name",
      before: [object("ServiceAccount", "robot")],
      manifests: [pod({ serviceAccountName: "robot", nodeName: "n1" })],
      outcomes: ["created p"]
    },
    {
      why: "may exist already, Namespaces included",
      before: [shop, configMap("a", "shop")],
      manifests: [shop, object("ConfigMap", "a", { data: { k: "v" } }, "shop")],
      outcomes: ["configured shop", "configured a"]
    }
  ])("$why", ({ before = [], manifests, outcomes }) => {
    expect(setUpStore(before).apply(manifests)).toEqual(outcomes)
  })

  it.each([
    {
      why: "an invalid manifest in a Namespace that comes with them",
      manifests: [shop, configMap("a", "shop"), configMap("-", "shop")],
      expectedError:
        /^manifest \(document 3\): The ConfigMap "-" is invalid: metadata.name: Invalid value: "-": [^\n]*$/
    },
    {
      why: "a service account that neither exists nor comes before",
      manifests: [configMap("a"), pod({ serviceAccountName: "robot" })],
      expectedError: /^manifest \(document 2\): .*serviceaccount "robot" not found$/
    },
    {
      why: "every rejected manifest is reported",
      manifests: [configMap("-"), pod({ containers: [] }), configMap("a")],
      expectedError: /^manifest \(document 1\): [^\n]*\nmanifest \(document 2\): [^\n]*$/
    }
  ])("are rejected before any is applied: $why", ({ manifests, expectedError }) => {
    const { view, apply } = setUpStore()
    const version = view.version()
    expect(apply(manifests)).toMatch(expectedError)
    expect(view.version()).toBe(version)
  })

  it.each([
    {
      why: "the error lists what was applied before",
      before: [],
      manifests: [bounds, configMap("a"), configMap("b")],
      expectedError:
        /^manifest \(document 3\): [^\n]* used: count\/configmaps=1, [^\n]*\napplied before that, and still there:\n {2}resourcequota\/q created\n {2}configmap\/a created$/
    },
    {
      why: "the error lists nothing when the first is rejected",
      before: [bounds, configMap("a")],
      manifests: [configMap("b")],
      expectedError: /^manifest \(document 1\): [^\n]*$/
    }
  ])("are rejected for what they take from each other: $why", ({ before, manifests, expectedError }) => {
    expect(setUpStore(before).apply(manifests)).toMatch(expectedError)
  })

  it.each([
    { why: "as often as kubectl does", conflicts: 5, outcome: ["configured a"] },
    { why: "and no more", conflicts: 6, outcome: /^[^\n]*the object has been modified$/ }
  ])("are written again after a conflict: $why", ({ conflicts, outcome }) => {
    const { get, create, update, apply } = setUpStore([configMap("a")])
    let remaining = conflicts
    const conflicting: typeof update = (draft, options) =>
      Effect.suspend(() => {
        if (options?.dryRun === true || remaining === 0) return update(draft, options)
        remaining -= 1
        return Effect.fail(
          new Conflict({ resource: "configmaps", resourceName: "a", why: "the object has been modified" })
        )
      })
    const actual = apply([object("ConfigMap", "a", { data: { k: "v" } })], {
      get,
      create,
      update: conflicting
    })
    if (Array.isArray(outcome)) expect(actual).toEqual(outcome)
    else expect(actual).toMatch(outcome)
  })
})
