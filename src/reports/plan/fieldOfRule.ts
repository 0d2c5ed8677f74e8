import { lossesByCause } from "../../plan/summarizePlan.ts"
import { strategyAnnotation } from "../../kubernetes/steering/steeringNames.ts"
import type { DocumentPath } from "../../kubernetes/meta/text/fieldPath.ts"
import type { LossCause } from "../../scenario/ledger/services/serviceTraffic.ts"
import type { RolloutPlan } from "../../plan/summarizePlan.ts"
import type { RuleName } from "../../plan/verdicts/verdict.ts"

/** The field to which a report points; for a missing field, the closest one above it. */
export const fieldOfRule = (rule: RuleName, rollout: RolloutPlan): DocumentPath => {
  switch (rule) {
    case "rollout-stuck":
    case "no-pod-available":
    case "undo-stuck":
      return strategyOf(rollout)
    case "rollout-late":
      return ["spec", "progressDeadlineSeconds"]
    case "requests-lost":
      return fieldOfLosses(rollout)
    case "service-without-pods":
      return ["spec", "template", "metadata", "labels"]
    case "ingress-without-service":
      return ["metadata", "name"]
    case "missing-reference":
      return podSpec
    case "container-ends":
      return [...podSpec, "containers", 0, "command"]
    case "stop-cut-short":
      return [...podSpec, "terminationGracePeriodSeconds"]
    case "image-not-pulled":
      return [...podSpec, "containers", 0, "imagePullPolicy"]
    case "probe-ends-start":
    case "probe-not-asked":
      return [...podSpec, "containers", 0, "livenessProbe"]
    case "evicted-by-taint":
      return [...podSpec, "tolerations"]
    case "threshold":
      return strategyOf(rollout)
    case "drain-blocked":
      return ["spec", "replicas"]
    case "overlapping-selectors":
      return ["spec", "selector"]
    case "no-revision-kept":
      return ["spec", "revisionHistoryLimit"]
    case "mutable-image":
      return [...podSpec, "containers", 0, "image"]
    case "replicas-removed":
    case "autoscaler-conflict":
    case "autoscaler-range":
      return ["spec", "replicas"]
    case "replaced-on-delete":
      return strategyOf(rollout)
    case "strategy-not-followed":
      return ["metadata", "annotations", strategyAnnotation]
    case "unknown-node-resource":
      return [...podSpec, "containers", 0, "resources"]
    case "unknown-pod-security":
      return podSpec
    case "unknown-mutating-webhook":
    case "unknown-validating-webhook":
    case "unknown-mutating-policy":
    case "unknown-validating-policy":
      return ["spec", "template", "metadata"]
    case "unknown-node-label":
      return [...podSpec, "nodeSelector"]
    case "unknown-runtime-class":
      return [...podSpec, "runtimeClassName"]
    case "unknown-readiness-gate":
      return [...podSpec, "readinessGates"]
    case "unknown-scheduler":
      return [...podSpec, "schedulerName"]
    case "unknown-sysctl":
      return [...podSpec, "securityContext"]
    case "unknown-csi-driver":
    case "unknown-node-file":
    case "unknown-storage-class":
      return [...podSpec, "volumes"]
  }
}

/** The field for a condition such as `lost>1%`. */
export const fieldOfThreshold = (predicate: string, rollout: RolloutPlan): DocumentPath => {
  const [measure = ""] = /^[a-z]+/.exec(predicate) ?? []
  if (measure === "lost") return fieldOfRule("requests-lost", rollout)
  return fieldOfRule(measure === "available" || measure === "pods" ? "threshold" : "rollout-late", rollout)
}

const podSpec: DocumentPath = ["spec", "template", "spec"]

const strategyOf = ({ kind }: RolloutPlan): DocumentPath =>
  kind === "Deployment" ? ["spec", "strategy"] : kind === "Job" ? ["spec"] : ["spec", "updateStrategy"]

const fieldOfLosses = (rollout: RolloutPlan): DocumentPath => {
  const { requests } = rollout
  const [greatestLoss] = requests === undefined ? [] : lossesByCause(requests)
  const [cause] = greatestLoss ?? ["noEndpoint" as const]
  return cause === "noEndpoint" ? strategyOf(rollout) : fieldsByCause[cause]
}

const fieldsByCause: Readonly<Record<Exclude<LossCause, "noEndpoint">, DocumentPath>> = {
  stopping: [...podSpec, "containers", 0, "lifecycle"],
  starting: [...podSpec, "containers", 0, "readinessProbe"],
  failing: [...podSpec, "containers", 0]
}
