import { Icon } from "./icons.tsx"
import { MomentView } from "./momentView.tsx"
import { backward, forward } from "../history/moment.ts"
import { clockText } from "../source/clusterTime.ts"
import { playbackSpeeds } from "./player.ts"
import { useSignal } from "../useSignal.ts"
import { usePageState } from "../pageState.ts"
import type { IconName } from "./icons.tsx"
import type { StoryPlayer } from "../story/storyPlayer.ts"
import type { Player } from "./player.ts"

interface PlayerProps {
  readonly player: Player
  readonly story: StoryPlayer
}

export const PlayerView = ({ player, story }: PlayerProps) => {
  const { history, moment, redrawCount, selected, source } = usePageState()
  const { isPlaying, speed, toggle, step, jumpToChange, toBegin, toEnd } = player
  const isStoryOpen = useSignal(story.isOpen)
  const isRunning = useSignal(isPlaying)
  const currentSpeed = useSignal(speed)
  const shownMoment = useSignal(moment)
  const selectedAddress = useSignal(selected)
  useSignal(redrawCount)
  const { beginMillis, endMillis, beginNumber, endNumber, header } = history.get()
  if (header === undefined) return null
  const isLive = source.get()?.type === "live"
  const isEnd = shownMoment === undefined
  const isBegin = shownMoment !== undefined && shownMoment <= beginNumber
  const changedName = selectedAddress === undefined ? "something" : selectedAddress.name
  const button = (icon: IconName, label: string, isDisabled: boolean, onClick: () => void) => (
    <button type="button" aria-label={label} title={label} disabled={isDisabled} onClick={onClick}>
      <Icon name={icon} />
    </button>
  )
  return (
    <section class="player" aria-label="Player" data-end={endNumber}>
      {button("begin", "To the beginning (Home)", isBegin, toBegin)}
      {button("previousChange", `When ${changedName} changed before ([)`, isBegin, () =>
        jumpToChange(backward)
      )}
      {button("stepBack", "One entry back (,)", isBegin, () => step(backward))}
      <button type="button" class="play" aria-pressed={isRunning} title="Space" onClick={toggle}>
        <Icon name={isRunning ? "pause" : "play"} /> {isRunning ? "Hold" : "Play back"}
      </button>
      {button("stepForward", "One entry on (.)", isEnd, () => step(forward))}
      {button("nextChange", `When ${changedName} changes next (])`, isEnd, () => jumpToChange(forward))}
      {button("end", isLive ? "To now (End)" : "To the end (End)", isEnd, toEnd)}
      <select
        aria-label="Speed of playing"
        title="Faster (>) or slower (<)"
        value={String(currentSpeed)}
        onChange={({ currentTarget }) => speed.set(Number(currentTarget.value))}
      >
        {playbackSpeeds.map((playbackSpeed) => (
          <option key={playbackSpeed} value={String(playbackSpeed)}>
            {playbackSpeed}×
          </option>
        ))}
      </select>
      <button
        type="button"
        aria-expanded={isStoryOpen}
        onClick={() => story.isOpen.set(!isStoryOpen)}
        title="What happened, in sentences (S tells them)"
      >
        Story
      </button>
      {isLive && !isEnd ? (
        <MomentView moment={shownMoment} />
      ) : (
        <span class="recording-range quiet">
          {clockText(beginMillis)} to {isLive ? "now" : clockText(endMillis)}
        </span>
      )}
    </section>
  )
}
