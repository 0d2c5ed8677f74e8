import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import * as Effect from "effect/Effect"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import {
  invalidField,
  forbiddenField,
  invalidMessage,
  notNegativeDetail,
  errorBody
} from "../../kubernetes/validation/fieldErrors.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { logLineText, logLines, findLoggedRun, selectLogLines } from "../../kubernetes/pods/podLogs.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { badRequest, makeRefusal } from "../http/statuses.ts"
import { findObject } from "../verbs/readVerbs.ts"
import type { FieldError } from "../../kubernetes/validation/fieldErrors.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { LogOptions, LogLine, LogRequest } from "../../kubernetes/pods/podLogs.ts"
import type { Change } from "../../store/objectStore.ts"
import type { ApiServices, ApiCall, StreamSink, StreamAnswer, VerbHandler } from "../requests/apiCall.ts"

/** Unread bytes at which a followed log ends. */
const unreadBytesMax = 1024 * 1024

/**
 * No process runs in a Pod: the lines are made from its status and Events. With `follow`, the log ends with the
 * container's run.
 *
 * Source: pkg/registry/core/pod/rest/log.go, pkg/registry/core/pod/strategy.go (LogLocation),
 * pkg/apis/core/validation/validation.go (ValidatePodLogOptions).
 */
export const logVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const logOptions = readLogOptions(call)
    return Effect.map(findObject(call), (object) => {
      const pod = object as Pod
      const container = containerFor(pod, call.query.text("container"))
      const request = { pod, container, previous: call.query.flag("previous") }
      if (pod.spec.nodeName === undefined || pod.spec.nodeName === "") return textAnswer("")
      const found = findLoggedRun(request)
      if ("refusal" in found) throw badRequest(found.refusal)
      const initialLines = allLogLines(call.services, request)
      const hasRunEnded = found.run.ended !== undefined
      if (!call.query.flag("follow") || hasRunEnded) {
        return textAnswer(bytesOf(selectLogLines(initialLines, logOptions), logOptions))
      }
      return {
        ...plainText,
        open: (sink) => followLog(call.services, { request, logOptions, initialLines, sink })
      }
    })
  })

const plainText = { type: "stream", contentType: "text/plain" } as const

const textAnswer = (text: string | Buffer): StreamAnswer => ({
  ...plainText,
  open: (sink) => {
    if (text.length > 0) sink.write(text)
    sink.end()
    return () => {}
  }
})

const allLogLines = ({ view }: ApiServices, request: LogRequest): ReadonlyArray<LogLine> =>
  logLines({ ...request, events: eventsAbout(view, request.pod) })

const eventsAbout = (view: ApiServices["view"], { metadata }: Pod): ReadonlyArray<NormalizedEvent> =>
  Array.from(view.all(resources.events), normalizeEvent).filter(
    ({ involvedObject }) => involvedObject.uid === metadata.uid
  )

const bytesOf = (lines: ReadonlyArray<LogLine>, logOptions: LogOptions): Buffer => {
  const bytes = Buffer.from(lines.map((line) => logLineText(line, logOptions)).join(""))
  return bytes.subarray(0, logOptions.limitBytes ?? bytes.length)
}

const containerFor = ({ metadata, spec }: Pod, containerName: string | undefined): string => {
  const names = spec.containers.map(({ name }) => name)
  const initNames = (spec.initContainers ?? []).map(({ name }) => name)
  if (containerName !== undefined) {
    const isEphemeral = spec.ephemeralContainers?.some(({ name }) => name === containerName) === true
    if (isEphemeral || names.includes(containerName) || initNames.includes(containerName))
      return containerName
    throw badRequest(`container ${containerName} is not valid for pod ${metadata.name}`)
  }
  const [onlyName] = names
  if (onlyName !== undefined && names.length === 1) return onlyName
  const choice = `choose one of: [${names.join(" ")}]`
  const initText = initNames.length === 0 ? "" : ` or one of the init containers: [${initNames.join(" ")}]`
  throw badRequest(`a container name must be specified for pod ${metadata.name}, ${choice}${initText}`)
}

const readLogOptions = ({ query, services, target }: ApiCall): LogOptions => {
  const tailLines = query.integer("tailLines")
  const limitBytes = query.integer("limitBytes")
  const sinceSeconds = query.integer("sinceSeconds")
  const sinceTime = readTime(query.text("sinceTime"))
  const tooSmall = (field: string, value: number): FieldError =>
    invalidField(field, value, "must be greater than 0")
  const errors = [
    ...(tailLines !== undefined && tailLines < 0
      ? [invalidField("tailLines", tailLines, notNegativeDetail)]
      : []),
    ...(limitBytes !== undefined && limitBytes < 1 ? [tooSmall("limitBytes", limitBytes)] : []),
    ...(sinceSeconds !== undefined && sinceTime !== undefined
      ? [forbiddenField("", "at most one of `sinceTime` or `sinceSeconds` may be specified")]
      : []),
    ...(sinceSeconds !== undefined && sinceSeconds < 1 ? [tooSmall("sinceSeconds", sinceSeconds)] : [])
  ]
  if (errors.length > 0) throw invalidLogOptions(target.name ?? "", errors)
  return {
    tailLines,
    limitBytes,
    sinceMillis: sinceSeconds === undefined ? sinceTime : services.nowMillis() - sinceSeconds * 1000,
    timestamps: query.flag("timestamps")
  }
}

const readTime = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const millis = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(millis)) return millis
  const quoted = JSON.stringify(text)
  throw badRequest(`parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`)
}

const invalidLogOptions = (name: string, errors: ReadonlyArray<FieldError>) =>
  makeRefusal(422, "Invalid", invalidMessage({ groupKind: "PodLogOptions", name, errors }), {
    name,
    kind: "PodLogOptions",
    causes: errors.map((error) => ({ reason: error.type, message: errorBody(error), field: error.field }))
  })

const followLog = (
  services: ApiServices,
  options: {
    readonly request: LogRequest
    readonly logOptions: LogOptions
    readonly initialLines: ReadonlyArray<LogLine>
    readonly sink: StreamSink
  }
): (() => void) => {
  const { request, logOptions, initialLines, sink } = options
  const { uid } = request.pod.metadata
  const key = objectKeyOf(request.pod)
  const restartCount = restartsOfRun(request)
  const writtenIds = new Set(initialLines.map(lineId))
  let remainingBytes = logOptions.limitBytes ?? Number.MAX_SAFE_INTEGER
  const writeLines = (lines: ReadonlyArray<LogLine>): void => {
    const bytes = bytesOf(lines, { ...logOptions, limitBytes: remainingBytes })
    if (bytes.length > 0) sink.write(bytes)
    remainingBytes -= bytes.length
  }
  const writeNewLines = (pod: Pod | undefined): boolean => {
    if (pod === undefined || pod.metadata.uid !== uid) return false
    const currentRequest = followedRequest({ ...request, pod }, restartCount)
    if (currentRequest === undefined) return false
    const lines = allLogLines(services, currentRequest).filter((line) => !writtenIds.has(lineId(line)))
    for (const line of lines) writtenIds.add(lineId(line))
    writeLines(lines)
    return !hasLoggedRunEnded(currentRequest) && remainingBytes > 0 && sink.unreadBytes() <= unreadBytesMax
  }
  const onChange = sink.endOnError(({ resource, object, type }: Change) => {
    const isEvent = resource === resources.events && normalizeEvent(object).involvedObject.uid === uid
    if (!isEvent && (resource !== resources.pods || object.metadata.uid !== uid)) return
    const mayContinue = writeNewLines(isEvent ? services.view.get(resources.pods, key) : (object as Pod))
    if (!mayContinue || type === "DELETED") end()
  })
  const stop = services.view.subscribe(onChange)
  const end = (): void => {
    stop()
    sink.end()
  }
  writeLines(selectLogLines(initialLines, logOptions))
  if (!writeNewLines(services.view.get(resources.pods, key))) end()
  return stop
}

const lineId = ({ atMillis, text }: LogLine): string => `${atMillis} ${text}`

const restartsOfRun = (request: LogRequest): number | undefined => {
  const found = findLoggedRun(request)
  return "refusal" in found ? undefined : found.run.restarts
}

const hasLoggedRunEnded = (request: LogRequest): boolean => {
  const found = findLoggedRun(request)
  return "refusal" in found || found.run.ended !== undefined
}

/** After a restart, the followed run is the previous one. */
const followedRequest = (request: LogRequest, restartCount: number | undefined): LogRequest | undefined =>
  [request, { ...request, previous: true }].find((it) => restartsOfRun(it) === restartCount)
