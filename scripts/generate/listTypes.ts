import { atomicStructs, topologyRuleOf } from "../../src/kubernetes/apply/managedFields/ownershipTopology.ts"
import { mergeRuleOf, type MergeRule } from "../../src/kubernetes/apply/patches/mergeRules.ts"
import type { JsonObject } from "../../src/server/openapi/openApiParameters.ts"

/** OpenAPI extensions that say how patches and server-side apply merge a field. */
export const mergeExtensions = (
  struct: string,
  { field, isList }: { readonly field: string; readonly isList: boolean }
): JsonObject => {
  const rule = mergeRuleOf(struct, field)
  return {
    ...(rule === undefined ? {} : strategyOf(rule)),
    ...(isList ? listTypeOf(struct, field) : {}),
    ...(!isList && topologyRuleOf(struct, field) === "atomic" ? atomicMap : {})
  }
}

export const structExtensions = (struct: string): JsonObject => (atomicStructs.has(struct) ? atomicMap : {})

const atomicMap: JsonObject = { "x-kubernetes-map-type": "atomic" }

const strategyOf = (rule: MergeRule): JsonObject => {
  switch (rule.type) {
    case "byKey":
      return {
        "x-kubernetes-patch-merge-key": rule.key,
        "x-kubernetes-patch-strategy": rule.retainKeys ? "merge,retainKeys" : "merge"
      }
    case "set":
      return { "x-kubernetes-patch-strategy": "merge" }
    case "retainKeys":
    case "replace":
      return { "x-kubernetes-patch-strategy": rule.type }
  }
}

const listTypeOf = (struct: string, field: string): JsonObject => {
  const rule = topologyRuleOf(struct, field)
  if (rule === undefined || rule === "atomic") return { "x-kubernetes-list-type": "atomic" }
  if (rule === "set") return { "x-kubernetes-list-type": "set" }
  return { "x-kubernetes-list-map-keys": rule, "x-kubernetes-list-type": "map" }
}
