import { clockText } from "../source/clusterTime.ts"
import { latestMoment } from "../history/moment.ts"
import type { ClusterHistory } from "../history/clusterHistory.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { MomentOrLatest } from "../history/moment.ts"

interface AbsenceContext {
  readonly history: ClusterHistory
  readonly moment: MomentOrLatest
  readonly millis: number
  readonly unknownActorMessage: string | undefined
}

export const absenceText = (
  address: PageAddress,
  { history, moment, millis, unknownActorMessage }: AbsenceContext
): string => {
  const { kind, name } = address
  const subject = `${kind} ${JSON.stringify(name)}`
  if (history.lastKnownOf(address, moment) !== undefined) {
    return moment === undefined
      ? `This ${kind} is deleted. The page shows its last state.`
      : `At ${clockText(millis)} this ${kind} was already deleted. The page shows its last state.`
  }
  if (history.lastKnownOf(address, latestMoment) !== undefined)
    return `At ${clockText(millis)} there was no ${subject} yet.`
  return unknownActorMessage ?? `No ${subject} exists, and none existed within the recording.`
}
