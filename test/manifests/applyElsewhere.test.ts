import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { applyManifest } from "../../src/manifests/applyManifests.ts"
import { makeMemoryStore } from "../../src/store/memoryStore.ts"
import { Conflict } from "../../src/store/storeErrors.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"

/** A store that belongs to another: it can try a write alone, and not how one would be after others. */
const aWorld = (before: ReadonlyArray<Manifest> = []) => {
  const { store, view } = makeMemoryStore({ nowMillis: () => 0, seed: 1 })
  const run = Effect.runSync
  for (const it of [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }, ...before]) {
    run(store.create(it))
  }
  const { get, create, update } = store
  const apply = (
    manifests: ReadonlyArray<Manifest>,
    theirs = { get, create, update }
  ): string | ReadonlyArray<string> =>
    run(
      Effect.match(applyManifest(theirs, manifests), {
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
const shop: Manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }
const high = {
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name: "high" },
  value: 7
}
const pod = (more: object): Manifest =>
  object("Pod", "p", { spec: { containers: [{ name: "app", image: "registry.example/app:v1" }], ...more } })
const bounds = object("ResourceQuota", "q", { spec: { hard: { "count/configmaps": "1" } } })

describe("documents for a store that belongs to another", () => {
  it.each([
    {
      why: "are tried in a Namespace that comes with them, which holds nothing else",
      manifests: [configMap("a", "shop"), shop],
      outcomes: ["created shop", "created a"]
    },
    {
      why: "are tried without the account and the class that come before them",
      manifests: [
        object("ServiceAccount", "robot"),
        high,
        pod({ serviceAccountName: "robot", priorityClassName: "high" })
      ],
      outcomes: ["created robot", "created high", "created p"]
    },
    {
      why: "are tried without the account that is there, whatever else they name",
      before: [object("ServiceAccount", "robot")],
      manifests: [pod({ serviceAccountName: "robot", nodeName: "n1" })],
      outcomes: ["created p"]
    },
    {
      why: "may be there already, a Namespace among them",
      before: [shop, configMap("a", "shop")],
      manifests: [shop, object("ConfigMap", "a", { data: { k: "v" } }, "shop")],
      outcomes: ["configured shop", "configured a"]
    }
  ])("$why", ({ before = [], manifests, outcomes }) => {
    expect(aWorld(before).apply(manifests)).toEqual(outcomes)
  })

  it.each([
    {
      why: "one that is invalid in a Namespace that comes with them",
      manifests: [shop, configMap("a", "shop"), configMap("-", "shop")],
      refused:
        /^manifest \(document 3\): The ConfigMap "-" is invalid: metadata.name: Invalid value: "-": [^\n]*$/
    },
    {
      why: "an account that is neither there nor comes before",
      manifests: [configMap("a"), pod({ serviceAccountName: "robot" })],
      refused: /^manifest \(document 2\): .*serviceaccount "robot" not found$/
    },
    {
      why: "every one that is refused is told",
      manifests: [configMap("-"), pod({ containers: [] }), configMap("a")],
      refused: /^manifest \(document 1\): [^\n]*\nmanifest \(document 2\): [^\n]*$/
    }
  ])("are refused before any is applied: $why", ({ manifests, refused }) => {
    const { view, apply } = aWorld()
    const version = view.version()
    expect(apply(manifests)).toMatch(refused)
    expect(view.version()).toBe(version)
  })

  it.each([
    {
      why: "what was applied before the one that is refused is told",
      before: [],
      manifests: [bounds, configMap("a"), configMap("b")],
      refused:
        /^manifest \(document 3\): [^\n]* used: count\/configmaps=1, [^\n]*\napplied before that, and still there:\n {2}resourcequota\/q created\n {2}configmap\/a created$/
    },
    {
      why: "nothing is told of where the first is refused",
      before: [bounds, configMap("a")],
      manifests: [configMap("b")],
      refused: /^manifest \(document 1\): [^\n]*$/
    }
  ])("are refused by what they take from each other: $why", ({ before, manifests, refused }) => {
    expect(aWorld(before).apply(manifests)).toMatch(refused)
  })

  it.each([
    { why: "as often as kubectl does", lost: 5, outcome: ["configured a"] },
    { why: "and no more", lost: 6, outcome: /^[^\n]*the object has been modified$/ }
  ])("are written again where another was sooner: $why", ({ lost, outcome }) => {
    const { get, create, update, apply } = aWorld([configMap("a")])
    let left = lost
    const contested: typeof update = (draft, options) =>
      Effect.suspend(() => {
        if (options?.dryRun === true || left === 0) return update(draft, options)
        left -= 1
        return Effect.fail(
          new Conflict({ resource: "configmaps", name: "a", why: "the object has been modified" })
        )
      })
    const found = apply([object("ConfigMap", "a", { data: { k: "v" } })], { get, create, update: contested })
    if (Array.isArray(outcome)) expect(found).toEqual(outcome)
    else expect(found).toMatch(outcome)
  })
})
