import { explainerFor } from "../../explain/remote/explainers.ts"
import { remoteErrorLine, withRemoteCluster } from "../remote/remoteRollout.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { outputColumns, outputPalette, printData, printLines } from "../terminal/terminal.ts"
import { wrapLine } from "../terminal/wrapLine.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { parseWorkloadName } from "../../kubernetes/apps/workloadNames.ts"
import { workloadVerdictText } from "../../explain/health/workloadVerdict.ts"
import { lookAhead } from "../remote/lookAhead.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { RemoteClusterRef } from "../remote/remoteRollout.ts"

export interface ExplainOptions extends RemoteClusterRef {
  /** `KIND/NAME`, or the name of a Deployment. */
  readonly object: string
  readonly output: "text" | "json"
  /** Whether to look up what happens next. */
  readonly next: boolean
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
  const workload = options.next ? workloadNameOf(options.object) : undefined
  if (options.next && workload === undefined) {
    const objectText = JSON.stringify(options.object)
    return refuseCommand(
      `error: --next looks ahead for a Deployment, a StatefulSet, a DaemonSet or a Job, and ${objectText} is none`
    )
  }
  try {
    const { explanation, next } = await withRemoteCluster(options, async (remote) => ({
      explanation: await explainer(remote),
      next: workload === undefined ? undefined : await lookAhead(remote, { ...options, name: workload })
    }))
    const { kind, object, explained, verdict, nowMillis } = explanation
    const { state, sentences, numbers, isWell } = explained
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
        next: next?.json
      }
      printData(`${JSON.stringify(report, undefined, 2)}\n`)
    } else {
      const { strong } = outputPalette()
      const width = outputColumns()
      const verdictLines = verdict === undefined ? [] : [workloadVerdictText(verdict)]
      const lines = [...verdictLines, ...sentences].flatMap((sentence, index) =>
        wrapLine(sentence, width).map(index === 0 ? strong : (line) => line)
      )
      printLines(next === undefined ? lines : [...lines, "", ...next.lines])
    }
    return isWell ? 0 : 1
  } catch (error) {
    return refuseCommand(remoteErrorLine(error))
  }
}

/** The object as `cluster.forecast` names it; undefined for one that has no rollout. */
const workloadNameOf = (object: string): string | undefined =>
  parseWorkloadName(object) === undefined ? undefined : object
