import { countText } from "../kubernetes/meta/text/countText.ts"
import { kindOf } from "./kinds/faultKinds.ts"
import type { Fault } from "./fault.ts"

/** One line: `2 Pods of Deployment web crash with exit code 137`. */
export const faultText = (fault: Fault): string => {
  const text = kindOf(fault).text(fault)
  return fault.for === undefined ? text : `${text} for ${fault.for}`
}

/** `2 Pods`, `no write`. */
export const affectedText = (fault: Fault, count: number): string => {
  const what = kindOf(fault).affects === "writes" ? "write" : "Pod"
  return count === 0 ? `no ${what}` : countText(count, what)
}

export const affectsExistingPods = (fault: Fault): boolean => kindOf(fault).affects === "pods"
