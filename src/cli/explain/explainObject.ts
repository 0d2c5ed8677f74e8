import { explainedKindOf, explainerFor } from "../../explain/remote/explainers.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { remoteErrorLine, withRemoteCluster } from "../remote/remoteRollout.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { outputColumns, outputPalette, printData, printLines } from "../terminal/terminal.ts"
import { wrapLine } from "../terminal/wrapLine.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { parseWorkloadName } from "../../kubernetes/apps/workloadNames.ts"
import { workloadVerdictText } from "../../explain/health/workloadVerdict.ts"
import { lookAhead } from "../remote/lookAhead.ts"
import type { Autoscaler } from "../../kubernetes/autoscaling/autoscalerTypes.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { ObjectExplanation } from "../../explain/remote/explainers.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"
import type { ScheduledStart } from "../../explain/workloads/explainCronJob.ts"
import type { ShownFuture } from "../remote/remoteForecast.ts"
import type { RemoteClusterRef } from "../remote/remoteRollout.ts"

export interface ExplainOptions extends RemoteClusterRef {
  /** `KIND/NAME`, or the name of a Deployment. */
  readonly object: string
  readonly output: "text" | "json"
  readonly withForecast: boolean
}

/** Exits 0 if the object is as desired, 1 if it is not, 2 after an error. */
export const explainObject = async (options: ExplainOptions): Promise<ExitCode> => {
  const explainer = explainerFor(options.object)
  if (explainer === undefined) {
    const objectText = JSON.stringify(options.object)
    return refuseCommand(
      "error: what is explained is a Deployment, such as deployment/web, or sts/NAME, ds/NAME, job/NAME, " +
        "cronjob/NAME, hpa/NAME, rs/NAME, pvc/NAME, pod/NAME, container/POD/NAME or node/NAME, " +
        `and ${objectText} is none`
    )
  }
  if (options.withForecast && !kindsWithForecast.has(explainedKindOf(options.object) ?? "")) {
    const objectText = JSON.stringify(options.object)
    return refuseCommand(
      "error: --next looks ahead for a Deployment, a StatefulSet, a DaemonSet, a Job, a CronJob or a " +
        `HorizontalPodAutoscaler, and ${objectText} is none`
    )
  }
  try {
    const { explanation, forecast } = await withRemoteCluster(options, async (remote) => {
      const explanation = await explainer(remote)
      return {
        explanation,
        forecast: options.withForecast ? await forecastOf(remote, options, explanation) : undefined
      }
    })
    const { kind, object, stateExplanation, verdict, nowMillis } = explanation
    const { state, sentences, numbers, isWell } = stateExplanation
    const { name, namespace, uid } = object.metadata
    if (options.output === "json") {
      const at = timestampOf(nowMillis)
      const report = {
        at,
        [kind]: { name, namespace, uid },
        verdict,
        state,
        sentences,
        numbers,
        next: forecast?.json
      }
      printData(`${JSON.stringify(report, undefined, 2)}\n`)
    } else {
      const { strong } = outputPalette()
      const width = outputColumns()
      const verdictLines = verdict === undefined ? [] : [workloadVerdictText(verdict)]
      const lines = [...verdictLines, ...sentences].flatMap((sentence, index) =>
        wrapLine(sentence, width).map(index === 0 ? strong : (line) => line)
      )
      printLines(forecast === undefined ? lines : [...lines, "", ...forecast.lines])
    }
    return isWell ? 0 : 1
  } catch (error) {
    return refuseCommand(remoteErrorLine(error))
  }
}

const kindsWithForecast = new Set([
  "deployment",
  "statefulSet",
  "daemonSet",
  "job",
  "cronJob",
  "horizontalPodAutoscaler"
])

/** The forecast of an autoscaler is that of its target; the forecast of a CronJob is the start of its next Job. */
const forecastOf = async (
  remote: RemoteCluster,
  options: ExplainOptions,
  { kind, object, nextJob, nowMillis }: ObjectExplanation
): Promise<ShownFuture> => {
  if (kind === "cronJob") return nextJobText(nextJob, nowMillis)
  if (kind !== "horizontalPodAutoscaler") return lookAhead(remote, { ...options, name: options.object })
  const target = (object as Autoscaler).spec.scaleTargetRef
  const name = `${target.kind}/${target.name}`
  if (parseWorkloadName(name) === undefined)
    throw new Error(`--next looks ahead for workloads, and ${name}, which it scales, is none`)
  return lookAhead(remote, { ...options, name })
}

const nextJobText = (nextJob: ScheduledStart | undefined, nowMillis: number): ShownFuture => {
  if (nextJob === undefined) return { json: {}, lines: ["If nothing else is done, no Job starts."] }
  const { jobName, atMillis } = nextJob
  return {
    json: { job: jobName, at: timestampOf(atMillis) },
    lines: ["If nothing else is done:", `  in ${formatDuration(atMillis - nowMillis)}  Job ${jobName} starts`]
  }
}
