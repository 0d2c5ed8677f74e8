import { kindNamed } from "../../../builders.ts"
import { strategicMergePatch } from "../../../../src/kubernetes/apply/patches/strategicMerge.ts"
import { valueAt, deepFrozen } from "../../admission/drafts.ts"

export const patchedValue = (kind: string, current: unknown, patch: unknown): unknown => {
  const result = strategicMergePatch(kindNamed(kind), deepFrozen(current), deepFrozen(patch))
  return result.ok ? result.value : `${result.reason}: ${result.message}`
}

/** Containers from a text: `app=v3 proxy=v1`, or `-app` for an element to delete. */
export const containers = (text: string): ReadonlyArray<object> =>
  text
    .split(" ")
    .filter(Boolean)
    .map((part) => {
      const [name = "", image] = part.split("=")
      if (name.startsWith("-")) return { $patch: "delete", name: name.slice(1) }
      return image === undefined ? { name } : { name, image }
    })

export const containersText = (list: unknown): string =>
  Array.isArray(list)
    ? list.map((it) => `${String(valueAt(it, "name"))}=${String(valueAt(it, "image"))}`).join(" ")
    : String(list)
