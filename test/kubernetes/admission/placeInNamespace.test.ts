import { describe, expect, it } from "vitest"
import { placeInNamespace } from "../../../src/kubernetes/admission/placeInNamespace.ts"
import { kindOfResource } from "../../../src/kubernetes/meta/kinds.ts"

const rows = [
  { resource: "configmaps", stated: undefined, requested: "shop", namespace: "shop", why: "of the request" },
  {
    resource: "configmaps",
    stated: "",
    requested: "shop",
    namespace: "shop",
    why: "of the request for none"
  },
  { resource: "configmaps", stated: undefined, requested: undefined, namespace: "default", why: "default" },
  { resource: "configmaps", stated: "blog", requested: "shop", namespace: "blog", why: "that it states" },
  { resource: "nodes", stated: "blog", requested: undefined, namespace: undefined, why: "none: of a Node" },
  {
    resource: "nodes",
    stated: "",
    requested: "shop",
    namespace: undefined,
    why: "none, not even an empty one"
  }
]

describe("the namespace of a draft", () => {
  it.each(rows)("is $namespace: $why", ({ resource, stated, requested, namespace }) => {
    const kind = kindOfResource(resource)
    if (kind === undefined) throw new Error(resource)
    const draft = {
      apiVersion: "v1",
      kind: kind.kind,
      metadata: { name: "a", ...(stated === undefined ? {} : { namespace: stated }) }
    }
    const { metadata } = placeInNamespace(kind, draft, requested)
    expect(metadata).toEqual({ name: "a", ...(namespace === undefined ? {} : { namespace }) })
  })

  it.each(["configmaps", "nodes"])("leaves the draft as it is when it fits the scope: %s", (resource) => {
    const kind = kindOfResource(resource)
    if (kind === undefined) throw new Error(resource)
    const namespace = kind.namespaced ? { namespace: "shop" } : {}
    const draft = { apiVersion: "v1", kind: kind.kind, metadata: { name: "a", ...namespace } }
    expect(placeInNamespace(kind, draft)).toBe(draft)
  })
})
