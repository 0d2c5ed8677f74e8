import type { Toleration } from "kubernetes-types/core/v1.js"
import { isSemanticallyEqual } from "../meta/semanticEquality.ts"

/** Drops tolerations that another one includes. Source: tolerations.go (MergeTolerations). */
export const mergeTolerations = (tolerations: ReadonlyArray<Toleration>): ReadonlyArray<Toleration> =>
  tolerations.filter(
    (toleration, index) =>
      !tolerations.some(
        (other, otherIndex) =>
          otherIndex !== index &&
          includesToleration(other, toleration) &&
          (otherIndex < index || !isSemanticallyEqual(other, toleration))
      )
  )

const includesToleration = (outer: Toleration, inner: Toleration): boolean => {
  if (isSemanticallyEqual(outer, inner)) return true
  const outerKey = outer.key ?? ""
  const outerEffect = outer.effect ?? ""
  const outerSeconds = outer.tolerationSeconds
  const isAnyKey = outerKey === "" && outer.operator === "Exists"
  if (outerKey !== (inner.key ?? "") && !isAnyKey) return false
  if (outerEffect !== "" && outerEffect !== (inner.effect ?? "")) return false
  const isLimited = outerEffect === "NoExecute" && outerSeconds !== undefined
  if (isLimited && (inner.tolerationSeconds ?? Infinity) > outerSeconds) return false
  if (outer.operator === "Exists") return true
  return inner.operator === "Equal" && (inner.value ?? "") === (outer.value ?? "")
}
