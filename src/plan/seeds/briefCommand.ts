import { imageEndOf } from "../knownImages.ts"
import { sleepSeconds } from "../../kubernetes/pods/containers/containers.ts"
import { isSidecar } from "../../kubernetes/pods/containers/containerRoles.ts"
import { mayRestart, restartTermsOf } from "../../kubernetes/pods/containers/restartPolicies.ts"
import { isShell, scriptOrCommand, shellScriptOf } from "../../kubernetes/pods/containers/shellScripts.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerExit } from "../../kubernetes/pods/podLife.ts"
import type { PodSpec } from "../../kubernetes/meta/objects.ts"

const binPath = String.raw`(?:(?:/usr)?/bin/)?`
const briefWord = String.raw`${binPath}(?:date|echo|exit|false|hostname|id|ls|mkdir|printenv|printf|pwd|touch|true|uname|whoami)`
/** A word of a script that holds no operator, quoted or not. */
const word = String.raw`(?:[^\s;&|<>()$\x60'"\\]|'[^']*'|"[^"$\x60\\]*")+`
const commandOf = (program: string): string => String.raw`${program}(?:[ \t]+${word})*`
const scriptOf = (program: string): RegExp => {
  const simpleCommand = commandOf(program)
  return new RegExp(String.raw`^\s*${simpleCommand}\s*(?:(?:;|&&|\|\||\n)\s*${simpleCommand}\s*)*;?\s*$`, "u")
}
const briefCommand = new RegExp(String.raw`^${briefWord}$`, "u")
const briefScript = scriptOf(briefWord)
const scriptWithSleeps = scriptOf(`(?:${briefWord}|${binPath}sleep)`)
/** Brief commands and sleeps, joined by `;` or `&&`, of which the last command fails. */
const failingScript = new RegExp(
  String.raw`^\s*(?:(?!exit\b)(?:${briefWord}|${binPath}sleep)(?:[ \t]+${word})*\s*(?:;|&&|\n)\s*)*(?:${binPath}false|exit[ \t]+(?<code>[1-9]\d*))\s*;?\s*$`,
  "u"
)
const sleepingScript = new RegExp(
  String.raw`^\s*(?:${commandOf(briefWord)}\s*(?:;|&&|\n)\s*)*${binPath}sleep[ \t]+(\d+)s?\s*;?\s*$`,
  "u"
)

export interface ImmediateEnd {
  readonly text: string
  /** Set for a container that is not restarted, while others of its Pod run on. */
  readonly finalExit: ContainerExit | undefined
}

/** For a container that has to run on. Undefined unless its manifest shows that it ends at once. */
export const immediateEndOf = (
  container: Core.Container,
  { containers = [], restartPolicy = "Always" }: Partial<PodSpec>
): ImmediateEnd | undefined => {
  const isApp = containers.includes(container)
  if (restartPolicy !== "Always" || !(isApp || isSidecar(container))) return undefined
  const why = briefReason(container)
  if (why === undefined) return undefined
  const title = `${isApp ? "" : "init "}container ${JSON.stringify(container.name)}`
  if (!isApp || isRestarted(container))
    return { text: `CrashLoopBackOff: ${title} ends at once: ${why}`, finalExit: undefined }
  const code = exitCodeOf(container)
  const reason = code === 0 ? "Completed" : "Error"
  // Pods whose containers have all ended are replaced without end: that is not played.
  const doOthersRun = containers.some((other) => briefReason(other) === undefined || isRestarted(other))
  return {
    text: `${title} ended with exit code ${code} (${reason}), is not restarted, and is never ready: ${why}`,
    finalExit: doOthersRun ? { afterMillis: 0, code, reason, times: Number.POSITIVE_INFINITY } : undefined
  }
}

const exitCodeOf = (container: Core.Container): number => failingCommandOf(container)?.code ?? 0

const isRestarted = (container: Core.Container): boolean =>
  mayRestart(restartTermsOf("app", container), { code: exitCodeOf(container) })

const briefReason = (container: Core.Container): string | undefined => {
  const { command = [], args = [], image = "", stdin = false, tty = false } = container
  const [program = ""] = command
  if (command.length === 0) {
    const end = args.length === 0 ? imageEndOf(image) : undefined
    return end === undefined || (end.needsTerminal && (stdin || tty))
      ? undefined
      : `image ${image} ${end.why}`
  }
  const text = shellScriptOf([...command, ...args])
  if (isShell(program) && command.length + args.length === 1 && !stdin && !tty)
    return `it runs ${JSON.stringify(program)}, and no terminal gives it commands`
  const isBrief = text === undefined ? briefCommand.test(program) : briefScript.test(text)
  return isBrief ? `it runs ${JSON.stringify(text?.trim() ?? [...command, ...args].join(" "))}` : undefined
}

/** How long a container lives whose last command is a sleep; undefined from ten minutes on. */
export const secondsUntilEnd = ({ command = [], args = [] }: Core.Container): number | undefined => {
  const script = scriptOrCommand([...command, ...args])
  const [, seconds] = command.length === 0 ? [] : (sleepingScript.exec(script) ?? [])
  return seconds !== undefined && Number(seconds) < 600 ? Number(seconds) : undefined
}

export interface FailingCommand {
  readonly script: string
  readonly code: number
  readonly afterMillis: number
}

/** For a container that has to end. Undefined if the manifest does not show that its command fails. */
export const failingCommandOf = ({ command = [], args = [] }: Core.Container): FailingCommand | undefined => {
  const [program] = command
  const line = [...command, ...args]
  const script = program === undefined ? undefined : (shellScriptOf(line) ?? program)
  const match = script === undefined ? null : failingScript.exec(script)
  if (script === undefined || match === null) return undefined
  return {
    script: script.trim(),
    code: Number(match.groups?.["code"] ?? 1),
    afterMillis: sleepSeconds(line) * 1000
  }
}

/** A program with a space in its name: the arguments were meant to be items of their own. */
export const missingProgramOf = ([program = ""]: ReadonlyArray<string>): string | undefined =>
  /^[^\\]*\s[^\\]*$/u.test(program) ? program : undefined

/** How long a script of sleeps and brief commands takes; 0 for any other script. */
export const sleepMillisOf = ({ command = [], args = [] }: Core.Container): number => {
  const line = [...command, ...args]
  return scriptWithSleeps.test(scriptOrCommand(line)) ? sleepSeconds(line) * 1000 : 0
}
