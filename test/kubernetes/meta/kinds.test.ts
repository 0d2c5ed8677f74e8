import { describe, expect, it } from "vitest"
import {
  storedKinds,
  apiVersionOf,
  groupKindOf,
  groupResourceOf,
  storedKindOfObject,
  kindOfResource,
  servedKindOfObject,
  servedKinds,
  storedKindOf,
  type Kind
} from "../../../src/kubernetes/meta/kinds.ts"

const kindAt = (apiVersion: string, kind: string): Kind => {
  const match = servedKindOfObject({ apiVersion, kind })
  if (match === undefined) throw new Error(`no resource serves ${kind} of ${apiVersion}`)
  return match
}

const repeated = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.filter((text, at) => texts.indexOf(text) !== at)

describe("a kind", () => {
  it("is unique by apiVersion and kind", () => {
    expect(repeated(servedKinds.map((kind) => `${apiVersionOf(kind)}/${kind.kind}`))).toEqual([])
  })

  it("is unique by stored resource", () => {
    expect(repeated(storedKinds.map(groupResourceOf))).toEqual([])
  })

  it("has unique names", () => {
    const names = storedKinds.flatMap((kind) => [
      ...new Set([kind.plural, kind.singular, ...kind.shortNames])
    ])
    expect(repeated(names)).toEqual([])
  })

  it.each([
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      why: "with verbs get, patch and update in another group",
      subresource: "scale"
    },
    { apiVersion: "v1", kind: "Pod", why: "not served as a kind of its own", subresource: "eviction" },
    { apiVersion: "v1", kind: "Namespace", why: "only Namespaces have it", subresource: "finalize" }
  ])("$kind has the subresource $subresource: $why", ({ apiVersion, kind, subresource }) => {
    expect(kindAt(apiVersion, kind).subresources.map(({ name }) => name)).toContain(subresource)
  })

  it.each([
    { apiVersion: "apps/v1", kind: "Deployment", name: "scale", body: "autoscaling/v1 Scale" },
    { apiVersion: "apps/v1", kind: "ReplicaSet", name: "status", body: "apps/v1 ReplicaSet" },
    { apiVersion: "v1", kind: "Pod", name: "binding", body: "v1 Binding" },
    { apiVersion: "v1", kind: "Pod", name: "eviction", body: "policy/v1 Eviction" },
    { apiVersion: "v1", kind: "Pod", name: "log", body: "v1 Pod" }
  ])("$kind/$name takes $body as body", ({ apiVersion, kind, name, body }) => {
    const match = kindAt(apiVersion, kind).subresources.find((it) => it.name === name)
    expect(match && `${apiVersionOf(match)} ${match.kind}`).toBe(body)
  })

  it("has deletecollection, except for namespaces", () => {
    const without = storedKinds.filter(({ verbs }) => !verbs.includes("deletecollection"))
    expect(without.map(({ plural }) => plural)).toEqual(["namespaces"])
  })
})

describe("a kind that is served but not stored", () => {
  const reviews = servedKinds.filter(({ verbs }) => !verbs.includes("get"))

  it("can only be created and has no subresources", () => {
    expect(reviews.length).toBeGreaterThan(0)
    for (const { verbs, subresources } of reviews) {
      expect({ verbs, subresources }).toEqual({ verbs: ["create"], subresources: [] })
    }
  })

  it("is not the kind of a stored object", () => {
    for (const kind of reviews) {
      expect(storedKindOfObject({ apiVersion: apiVersionOf(kind), kind: kind.kind })).toBeUndefined()
    }
  })
})

describe("a review", () => {
  it.each([
    { group: "authorization.k8s.io", kind: "LocalSubjectAccessReview", namespaced: true },
    { group: "authorization.k8s.io", kind: "SubjectAccessReview", namespaced: false },
    { group: "authentication.k8s.io", kind: "TokenReview", namespaced: false }
  ])("of kind $kind is namespaced: $namespaced", ({ group, kind, namespaced }) => {
    expect(kindAt(`${group}/v1`, kind)).toMatchObject({ namespaced, plural: `${kind.toLowerCase()}s` })
  })
})

describe("the group kind in messages", () => {
  it.each([
    { apiVersion: "v1", kind: "Pod", name: "Pod" },
    { apiVersion: "apps/v1", kind: "Deployment", name: "Deployment.apps" }
  ])("of $kind in $apiVersion is $name", ({ apiVersion, kind, name }) => {
    expect(groupKindOf(kindAt(apiVersion, kind))).toBe(name)
  })
})

describe("a view of another kind", () => {
  it.each([
    { view: ["autoscaling/v1", "HorizontalPodAutoscaler"], stored: "horizontalpodautoscalers.autoscaling" },
    { view: ["events.k8s.io/v1", "Event"], stored: "events" }
  ])("$view shows the stored $stored", ({ view: [apiVersion = "", kind = ""], stored }) => {
    const view = kindAt(apiVersion, kind)
    expect(storedKindOf(view)).toBe(kindOfResource(stored))
    expect(storedKindOf(view)).not.toBe(view)
    expect(storedKindOfObject({ apiVersion, kind })).toBeUndefined()
  })

  it("is rare: every other kind stores its own objects", () => {
    for (const kind of storedKinds) expect(storedKindOf(kind)).toBe(kind)
  })

  it("has the names and the scope of its stored kind", () => {
    for (const view of servedKinds.filter(({ storedAs }) => storedAs !== undefined)) {
      const { plural, namespaced, shortNames } = storedKindOf(view)
      expect(view).toMatchObject({ plural, namespaced, shortNames })
    }
  })
})
