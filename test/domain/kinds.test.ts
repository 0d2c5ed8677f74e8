import { describe, expect, it } from "vitest"
import {
  storedKinds,
  apiVersionOf,
  groupKindOf,
  groupResourceOf,
  kindOfObject,
  kindOfResource,
  servedKindOf,
  servedKinds,
  storedKindOf,
  type Kind
} from "../../src/kubernetes/meta/kinds.ts"

const kindAt = (apiVersion: string, kind: string): Kind => {
  const found = servedKindOf({ apiVersion, kind })
  if (found === undefined) throw new Error(`nobody serves ${kind} of ${apiVersion}`)
  return found
}

const repeated = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.filter((text, at) => texts.indexOf(text) !== at)

describe("a row of the table", () => {
  it("is the only one of its kind and version", () => {
    expect(repeated(servedKinds.map((kind) => `${apiVersionOf(kind)}/${kind.kind}`))).toEqual([])
  })

  it("is the only one that stores under its resource", () => {
    expect(repeated(storedKinds.map(groupResourceOf))).toEqual([])
  })

  it("has names that mean nothing else", () => {
    const names = storedKinds.flatMap((kind) => [
      ...new Set([kind.plural, kind.singular, ...kind.shortNames])
    ])
    expect(repeated(names)).toEqual([])
  })

  it.each([
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      why: "get patch update, in words of another group",
      under: "scale"
    },
    { apiVersion: "v1", kind: "Pod", why: "not listed as a kind of its own", under: "eviction" },
    { apiVersion: "v1", kind: "Namespace", why: "only namespaces have it", under: "finalize" }
  ])("$kind has $under beneath it: $why", ({ apiVersion, kind, under }) => {
    expect(kindAt(apiVersion, kind).subresources.map(({ name }) => name)).toContain(under)
  })

  it.each([
    { apiVersion: "apps/v1", kind: "Deployment", name: "scale", body: "autoscaling/v1 Scale" },
    { apiVersion: "apps/v1", kind: "ReplicaSet", name: "status", body: "apps/v1 ReplicaSet" },
    { apiVersion: "v1", kind: "Pod", name: "binding", body: "v1 Binding" },
    { apiVersion: "v1", kind: "Pod", name: "eviction", body: "policy/v1 Eviction" },
    { apiVersion: "v1", kind: "Pod", name: "log", body: "v1 Pod" }
  ])("bodies under $kind/$name are of $body", ({ apiVersion, kind, name, body }) => {
    const found = kindAt(apiVersion, kind).subresources.find((it) => it.name === name)
    expect(found && `${apiVersionOf(found)} ${found.kind}`).toBe(body)
  })

  it("lets nobody delete all namespaces at once", () => {
    const without = storedKinds.filter(({ verbs }) => !verbs.includes("deletecollection"))
    expect(without.map(({ plural }) => plural)).toEqual(["namespaces"])
  })
})

describe("what is served and not stored", () => {
  const questions = servedKinds.filter(({ verbs }) => !verbs.includes("get"))

  it("can only be created, and has nothing beneath it", () => {
    expect(questions.length).toBeGreaterThan(0)
    for (const { verbs, subresources } of questions) {
      expect({ verbs, subresources }).toEqual({ verbs: ["create"], subresources: [] })
    }
  })

  it("is no kind of a stored object", () => {
    for (const kind of questions) {
      expect(kindOfObject({ apiVersion: apiVersionOf(kind), kind: kind.kind })).toBeUndefined()
    }
  })
})

describe("a question", () => {
  it.each([
    { group: "authorization.k8s.io", kind: "LocalSubjectAccessReview", namespaced: true },
    { group: "authorization.k8s.io", kind: "SubjectAccessReview", namespaced: false },
    { group: "authentication.k8s.io", kind: "TokenReview", namespaced: false }
  ])("$kind is asked in a namespace: $namespaced", ({ group, kind, namespaced }) => {
    expect(kindAt(`${group}/v1`, kind)).toMatchObject({ namespaced, plural: `${kind.toLowerCase()}s` })
  })
})

describe("a message", () => {
  it.each([
    { apiVersion: "v1", kind: "Pod", name: "Pod" },
    { apiVersion: "apps/v1", kind: "Deployment", name: "Deployment.apps" }
  ])("names a $kind of $apiVersion $name", ({ apiVersion, kind, name }) => {
    expect(groupKindOf(kindAt(apiVersion, kind))).toBe(name)
  })
})

describe("a view", () => {
  it.each([
    { view: ["autoscaling/v1", "HorizontalPodAutoscaler"], stored: "horizontalpodautoscalers.autoscaling" },
    { view: ["events.k8s.io/v1", "Event"], stored: "events" }
  ])("$view shows objects of $stored", ({ view: [apiVersion = "", kind = ""], stored }) => {
    const view = kindAt(apiVersion, kind)
    expect(storedKindOf(view)).toBe(kindOfResource(stored))
    expect(storedKindOf(view)).not.toBe(view)
    expect(kindOfObject({ apiVersion, kind })).toBeUndefined()
  })

  it("is the exception: any other kind stores its own", () => {
    for (const kind of storedKinds) expect(storedKindOf(kind)).toBe(kind)
  })

  it("has as many names and lives in as many places as what it shows", () => {
    for (const view of servedKinds.filter(({ viewOf }) => viewOf !== undefined)) {
      const { plural, namespaced, shortNames } = storedKindOf(view)
      expect(view).toMatchObject({ plural, namespaced, shortNames })
    }
  })
})
