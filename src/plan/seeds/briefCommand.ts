import type * as Core from "kubernetes-types/core/v1.js"
import type { PodSpec } from "../../kubernetes/meta/objects.ts"

const briefWord = String.raw`(?:date|echo|exit|false|hostname|id|ls|mkdir|printenv|printf|pwd|touch|true|uname|whoami)`
/** A word of a script that holds no operator, quoted or not. */
const word = String.raw`(?:[^\s;&|<>()$\x60'"\\]|'[^']*'|"[^"$\x60\\]*")+`
const simpleCommand = String.raw`${briefWord}(?:[ \t]+${word})*`
const briefCommand = new RegExp(String.raw`^${briefWord}$`, "u")
const briefScript = new RegExp(
  String.raw`^\s*${simpleCommand}\s*(?:(?:;|&&|\|\||\n)\s*${simpleCommand}\s*)*;?\s*$`,
  "u"
)
const shell = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|a)?sh$/u
const imageWithShellOnly =
  /^(?:docker\.io\/)?(?:library\/)?(?:alpine|busybox|centos|debian|fedora|ubuntu)(?:[:@]|$)/u

/** Why a container that has to run on ends at once, if its manifest shows that. */
export const whyEndsAtOnce = (
  container: Core.Container,
  { containers = [], restartPolicy = "Always" }: Partial<PodSpec>
): string | undefined => {
  if (restartPolicy !== "Always" || !containers.includes(container)) return undefined
  const why = briefReason(container)
  return why === undefined
    ? undefined
    : `CrashLoopBackOff: container ${JSON.stringify(container.name)} ends at once: ${why}`
}

const briefReason = (container: Core.Container): string | undefined => {
  const { command = [], args = [], image = "", stdin = false, tty = false } = container
  const [program = "", option, script] = [...command, ...args]
  if (command.length === 0)
    return args.length === 0 && !stdin && !tty && imageWithShellOnly.test(image)
      ? `image ${image} has nothing but a shell, and no command is given`
      : undefined
  const text = shell.test(program) && option === "-c" ? script : undefined
  const isBrief = text === undefined ? briefCommand.test(program) : briefScript.test(text)
  return isBrief ? `it runs ${JSON.stringify(text?.trim() ?? [...command, ...args].join(" "))}` : undefined
}
