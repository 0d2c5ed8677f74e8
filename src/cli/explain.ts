import { explainRollout } from "../domain/explanation/explain.ts"
import { paletteFor } from "./palette.ts"
import { readSeen, refusalLine, withRemote } from "./getRolloutWorld.ts"
import { refuse } from "./refuse.ts"
import { columnsOf, wrapLine } from "./wrapLine.ts"
import { timestampOf } from "../domain/timestamps.ts"
import type { ExitCode } from "./run.ts"
import type { RolloutPlace } from "./getRolloutWorld.ts"

export interface ExplainOptions extends Omit<RolloutPlace, "name"> {
  /** `deployment/web` */
  readonly object: string
  readonly output: "text" | "json"
}

/** Says why a Deployment is not finished; 0 where it is, 1 where it is not. */
export const explain = async (options: ExplainOptions): Promise<ExitCode> => {
  const name = deploymentIn(options.object)
  if (name === undefined) {
    const given = JSON.stringify(options.object)
    return refuse(`error: what is explained is a Deployment, such as deployment/web, and ${given} is none`)
  }
  try {
    const seen = await withRemote({ ...options, name }, (remote) => readSeen(remote, name))
    const { state, sentences, numbers } = explainRollout(seen)
    const { namespace, uid } = seen.deployment.metadata
    if (options.output === "json") {
      const at = timestampOf(seen.nowMillis)
      const told = { at, deployment: { name, namespace, uid }, state, sentences, numbers }
      process.stdout.write(`${JSON.stringify(told, undefined, 2)}\n`)
    } else {
      const { strong } = paletteFor(process.stdout)
      const width = columnsOf(process.stdout)
      const lines = sentences.flatMap((sentence, index) =>
        wrapLine(sentence, width).map(index === 0 ? strong : (line) => line)
      )
      process.stdout.write(`${lines.join("\n")}\n`)
    }
    return state === "complete" ? 0 : 1
  } catch (error) {
    return refuse(refusalLine(error))
  }
}

/** The name in `deployment/web`, as `kubectl` writes a kind and a name, or a name alone. */
const deploymentIn = (object: string): string | undefined =>
  /^(?:(?:deployments?|deploy|deployments?\.apps|deployments?\.v1\.apps)\/)?([^/]+)$/iu.exec(object)?.[1]
