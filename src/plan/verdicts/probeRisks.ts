import { countText } from "../../kubernetes/meta/text/countText.ts"
import { killingProbe } from "../../kubernetes/pods/containers/probes.ts"
import { failingProbesOf } from "../failingProbes.ts"
import type { FailingProbe } from "../failingProbes.ts"
import type { Reason } from "./verdict.ts"
import type { RolloutRun } from "../seeds/rolloutRun.ts"
import type { WorkloadWithKind } from "../workloads.ts"

/**
 * Without a readiness probe, a rollout completes before the kubelet ends containers that have never answered.
 * `isMeasured`: the times are those of live Pods, which their liveness probes did not end.
 */
export const probeRisks = (
  { kind, object }: WorkloadWithKind,
  runs: ReadonlyArray<Pick<RolloutRun, "times">>,
  { isMeasured }: { readonly isMeasured: boolean }
): ReadonlyArray<Reason> =>
  kind === "Job"
    ? []
    : (object.spec.template.spec?.containers ?? []).flatMap((container, index) => {
        const failingProbe = failingProbesOf(container).find(({ field }) => field === "livenessProbe")
        if (failingProbe !== undefined) return [failingProbeRisk(failingProbe, index)]
        const probe = killingProbe(container, { includesOtherRequests: !isMeasured })
        if (probe === undefined) return []
        const ended = runs.filter(
          ({ times }) => probe.latestKillMillis < (times.answerMillisByImage.get(container.image ?? "") ?? 0)
        )
        const share =
          ended.length === runs.length ? "" : ` with ${ended.length} of ${countText(runs.length, "seed")}`
        const text = `${probe.field} of container ${JSON.stringify(container.name)} ends it again and again before it answers${share}`
        const field = ["spec", "template", "spec", "containers", index, probe.field]
        return ended.length === 0 ? [] : [{ rule: "probe-ends-start", text, field }]
      })

const failingProbeRisk = ({ field, text, isErrored }: FailingProbe, index: number): Reason => ({
  ...(isErrored
    ? { rule: "probe-not-asked", text: `${text}, so that the kubelet cannot ask it` }
    : { rule: "probe-ends-start", text: `${text}, and so ends it again and again` }),
  field: ["spec", "template", "spec", "containers", index, field]
})
