import { countText } from "../../meta/text/countText.ts"
import { controllerOf } from "../../meta/ownerReferences.ts"
import {
  enforcedPolicyOf,
  podToCheck,
  podSecurityLevels,
  policyText,
  violationsOf
} from "./podSecurityPolicy.ts"
import type { Draft, Labels, Pod } from "../../meta/objects.ts"
import type { PodSecurityPolicy } from "./podSecurityPolicy.ts"

const checkedPodsMax = 3000

/**
 * The warnings of an update that makes a Namespace stricter: which of its Pods violate what it now enforces.
 * Source: pod-security-admission/admission/admission.go (EvaluatePodsInNamespace).
 */
export const existingPodsWarnings = (
  before: Draft,
  after: Draft,
  podsOfNamespace: () => ReadonlyArray<Pod>
): ReadonlyArray<string> => {
  const policy = newlyEnforcedPolicy(before.metadata.labels, after.metadata.labels)
  if (policy === undefined) return []
  const pods = onePodOfEachControllerFirst(podsOfNamespace())
  const podsByReasons = Map.groupBy(pods.slice(0, checkedPodsMax), (pod) =>
    violationsOf(policy, podToCheck(pod))
      .map(({ reason }) => reason)
      .join(", ")
  )
  podsByReasons.delete("")
  const checkedText = `checked against the first ${checkedPodsMax} of ${pods.length} existing pods`
  const violationText = `violate the new PodSecurity enforce level "${policyText(policy)}"`
  return [
    ...(pods.length > checkedPodsMax ? [`new PodSecurity enforce level only ${checkedText}`] : []),
    ...(podsByReasons.size > 0
      ? [`existing pods in namespace "${after.metadata.name}" ${violationText}`]
      : []),
    ...[...podsByReasons].map(([reasons, violating]) => `${podsText(violating)}: ${reasons}`).toSorted()
  ]
}

/** Source: pod-security-admission/admission/admission.go (ValidateNamespace). */
const newlyEnforcedPolicy = (before: Labels = {}, after: Labels = {}): PodSecurityPolicy | undefined => {
  const [old, next] = [enforcedPolicyOf(before), enforcedPolicyOf(after)]
  const isStricter = podSecurityLevels.indexOf(next.level) > podSecurityLevels.indexOf(old.level)
  return next.level !== "privileged" && (isStricter || next.version !== old.version) ? next : undefined
}

const onePodOfEachControllerFirst = (pods: ReadonlyArray<Pod>): ReadonlyArray<Pod> => {
  const controllers = new Set<string>()
  const { first = [], others = [] } = Object.groupBy(pods, (pod) => {
    const uid = controllerOf(pod)?.uid
    if (uid === undefined) return "first"
    const isFirst = !controllers.has(uid)
    controllers.add(uid)
    return isFirst ? "first" : "others"
  })
  return [...first, ...others]
}

const podsText = (pods: ReadonlyArray<Pod>): string => {
  const [first = "", ...others] = pods.map(({ metadata }) => metadata.name).toSorted()
  if (others.length === 0) return first
  return `${first} (and ${countText(others.length, "other pod")})`
}
