import { countText } from "../kubernetes/meta/text/countText.ts"
import type { Delay } from "../behaviours/behaviour.ts"
import type { Fault } from "./fault.ts"
import type { Party, PodChoice, ReadScope, WriteVerb } from "./schemas/faultFields.ts"

/** A fault in one line: `2 Pods of Deployment web crash with exit code 137`. */
export const faultText = (fault: Fault): string =>
  fault.for === undefined ? textWithoutDuration(fault) : `${textWithoutDuration(fault)} for ${fault.for}`

/** What a fault has affected: `2 Pods`, `no write`. */
export const affectedText = ({ fault }: Fault, met: number): string => {
  const what = fault === "writesRefused" || fault === "writesSlow" ? "write" : "Pod"
  return met === 0 ? `no ${what}` : countText(met, what)
}

const textWithoutDuration = (fault: Fault): string => {
  switch (fault.fault) {
    case "crash": {
      const [who, isPlural] = podsText(fault.pods)
      const { exitCode, reason } = fault
      const code = exitCode === undefined ? "" : ` with exit code ${exitCode}`
      const how = reason === "OOMKilled" ? (isPlural ? "run out of memory" : "runs out of memory") : undefined
      return `${who} ${how ?? (isPlural ? "crash" : "crashes")}${code}`
    }
    case "fail": {
      const [who, isPlural] = podsText(fault.pods)
      return `${who} ${isPlural ? "fail" : "fails"} (${fault.reason ?? "Evicted"})`
    }
    case "kill": {
      const [who, isPlural] = podsText(fault.pods)
      const { gracePeriodSeconds: seconds } = fault
      const grace = seconds === undefined ? "" : ` with ${seconds}s of grace`
      return `${who} ${isPlural ? "are" : "is"} deleted${grace}`
    }
    case "flap": {
      const [who, isPlural] = podsText(fault.pods)
      return `${who} ${isPlural ? "flap" : "flaps"} (${fault.ready} ready, ${fault.unready} unready)`
    }
    case "hang": {
      const [who, isPlural] = podsText(fault.pods)
      return `${who} ${isPlural ? "hang" : "hangs"}`
    }
    case "slowStart": {
      const [who, isPlural] = podsText(fault.pods, "new ")
      return `${who} ${isPlural ? "take" : "takes"} ${delayText(fault.by)} longer to start`
    }
    case "pullFails":
      return `images ${fault.image} cannot be pulled${fault.error === undefined ? "" : `: ${fault.error}`}`
    case "nodeLost":
      return `${fault.node} is lost`
    case "nodeDrained":
      return `${fault.node} is drained`
    case "nodeCordoned":
      return `${fault.node} is cordoned`
    case "nodeFull":
      return `${fault.node} is full`
    case "quotaExhausted": {
      const where = `the quota of namespace ${fault.namespace ?? "default"}`
      const hard = Object.entries(fault.hard ?? {}).map(([name, amount]) => `${name}=${amount}`)
      return hard.length === 0 ? `${where} is used up` : `${where} is ${hard.join(", ")}`
    }
    case "controllerStopped":
      return `${partyText(fault.controller)} is stopped`
    case "controllerSlow":
      return `${partyText(fault.controller)} takes ${fault.by} over each object`
    case "controllerRestarted": {
      const { controller, afterWrites = 0 } = fault
      const when = afterWrites === 0 ? "" : ` after ${countText(afterWrites, "more write")}`
      return `${partyText(controller)} is restarted${when}`
    }
    case "writesRefused": {
      const { of, code, times } = fault
      const often = times === undefined ? "" : ` (${countText(times, "time")})`
      const lost = code === 504 ? "carried out and answered with" : "refused with"
      return `${writesText(fault)} ${partyText(of)} are ${lost} ${code}${often}`
    }
    case "writesSlow":
      return `writes of ${partyText(fault.of)} take ${fault.by}`
    case "watchLate":
      return `${partyText(fault.of)} ${verbFor(fault.of, "hears", "hear")} of changes ${fault.by} late${readsText(fault)}`
    case "watchDropped":
      return `${partyText(fault.of)} ${verbFor(fault.of, "loses its", "lose their")} watches`
    case "watchRepeated":
      return `${partyText(fault.of)} ${verbFor(fault.of, "hears", "hear")} of every change twice`
    case "staleReads":
      return `${partyText(fault.of)} ${verbFor(fault.of, "reads", "read")} objects as they were before${readsText(fault)}`
    case "clockJump":
      return `the clock jumps ahead by ${fault.by}`
  }
}

const podsText = (choice: PodChoice, adjective = ""): readonly [text: string, isPlural: boolean] => {
  const { namespace, deployment, revision, labels, name, node, count } = choice
  const pairs = Object.entries(labels ?? {}).map(([label, value]) => `${label}=${value}`)
  const who = [
    ...(deployment === undefined ? [] : [`of Deployment ${deployment}`]),
    ...(namespace === undefined ? [] : [`in namespace ${namespace}`]),
    ...(pairs.length === 0 ? [] : [`with ${pairs.join(",")}`]),
    ...(name === undefined ? [] : [`named ${name}`]),
    ...(node === undefined ? [] : [`on ${node}`])
  ]
  const which = revision === undefined ? adjective : `${revision} `
  const isPlural = count !== 1
  const number = count === undefined ? (adjective === "" && who.length === 0 ? "all " : "") : `${count} `
  return [[`${number}${which}${isPlural ? "Pods" : "Pod"}`, ...who].join(" "), isPlural]
}

const readsText = ({ reads }: { readonly reads?: ReadScope }): string =>
  reads === "all" ? ", in all reads" : ""

const delayText = (delay: Delay): string => {
  if (typeof delay === "string") return delay
  if ("uniform" in delay) return `${delay.uniform[0]} to ${delay.uniform[1]}`
  if ("normal" in delay) return `about ${delay.normal.mean}`
  return `about ${delay.exponential.mean}`
}

const verbTexts: Readonly<Record<WriteVerb, string>> = {
  create: "creations",
  update: "updates",
  patch: "patches",
  delete: "deletions",
  status: "status updates"
}

/** `writes of`, `deletions of pods by`. */
const writesText = (fault: { readonly resource?: string; readonly verb?: WriteVerb }): string => {
  const what = fault.verb === undefined ? "writes" : verbTexts[fault.verb]
  return fault.resource === undefined ? `${what} of` : `${what} of ${fault.resource} by`
}

const partyText = (party: Party): string => {
  if (party === "controllers") return "all controllers"
  if (party === "clients") return "clients from outside"
  return /er$|or$/.test(party) ? `the ${party}` : `the ${party} controller`
}

const verbFor = (party: Party, singular: string, plural: string): string =>
  party === "controllers" || party === "clients" ? plural : singular
