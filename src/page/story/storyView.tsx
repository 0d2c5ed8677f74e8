import { backward, forward } from "../history/moment.ts"
import { clockText } from "../source/clusterTime.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { Icon } from "../moment/icons.tsx"
import { memo } from "preact/compat"
import { useClusterStory } from "./useClusterStory.ts"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import { useSignal } from "../useSignal.ts"
import type { StoryPlayer } from "./storyPlayer.ts"
import type { StorySentence } from "./storySentence.ts"

interface StoryProps {
  readonly story: StoryPlayer
  readonly coversAllWorkloads: boolean
}

export const StoryView = ({ story, coversAllWorkloads }: StoryProps) => {
  const { history, moment, source, redrawCount } = usePageState()
  const isOpen = useSignal(story.isOpen)
  const isRecording = useSignal(source)?.type === "recording"
  const sentences = useSignal(story.sentences)
  const isTelling = useSignal(story.isTelling)
  useSignal(moment)
  useSignal(redrawCount)
  // A recording is opened to learn what happened in it.
  useEffect(() => {
    if (!isRecording) return
    story.isOpen.set(true)
    return () => story.isOpen.set(false)
  }, [story, isRecording])
  const { header: recordingHeader, isCaughtUp } = history.get()
  useClusterStory(story.sentences, { isWanted: isOpen && (isRecording || isCaughtUp), coversAllWorkloads })
  if (recordingHeader === undefined || !isOpen) return null
  const shownIndex = story.shownIndex()
  return (
    <section class="story" aria-label="Story" data-testid="story">
      <div class="caption">
        <button type="button" aria-pressed={isTelling} onClick={story.toggle} title="S">
          <Icon name={isTelling ? "pause" : "play"} /> {isTelling ? "Hold" : "Tell the story"}
        </button>
        <button
          type="button"
          aria-label="The sentence before (P)"
          disabled={shownIndex <= 0}
          onClick={() => story.go(backward)}
        >
          <Icon name="stepBack" />
        </button>
        <button
          type="button"
          aria-label="The next sentence (N)"
          disabled={shownIndex >= sentences.length - 1}
          onClick={() => story.go(forward)}
        >
          <Icon name="stepForward" />
        </button>
        <p aria-live={isTelling ? "polite" : "off"} data-testid="sentence">
          <Caption sentence={sentences[shownIndex]} isEmpty={sentences.length === 0} />
        </p>
        {sentences.length > 0 && (
          <span class="quiet">
            {shownIndex + 1} of {sentences.length}
          </span>
        )}
        <button
          type="button"
          class="close"
          aria-label="Close the story"
          onClick={() => story.isOpen.set(false)}
        >
          ✕
        </button>
      </div>
      <SentenceList sentences={sentences} shownIndex={shownIndex} show={story.show} />
    </section>
  )
}

const Caption = ({
  sentence,
  isEmpty
}: {
  readonly sentence: StorySentence | undefined
  readonly isEmpty: boolean
}) =>
  sentence === undefined ? (
    <span class="quiet">
      {isEmpty ? "Nothing worth telling has happened yet." : "This is how it begins."}
    </span>
  ) : (
    <>
      <time>{clockText(sentence.atMillis)}</time> <b data-tone={sentence.tone}>{sentenceText(sentence)}</b>
    </>
  )

/** `web: its image changed …`. */
const sentenceText = ({ address, text }: StorySentence): string =>
  `${address === undefined ? "" : `${displayName(address)}: `}${text}.`

interface ListProps {
  readonly sentences: ReadonlyArray<StorySentence>
  readonly shownIndex: number | undefined
  readonly show: (index: number) => void
}

export const SentenceList = memo(({ sentences, shownIndex, show }: ListProps) => {
  const list = useRef<HTMLOListElement>(null)
  // Scrolls before the browser draws, so that the shown sentence stays in sight.
  useLayoutEffect(() => {
    const box = list.current
    const shown = shownIndex === undefined ? undefined : box?.children[shownIndex]
    if (box === null || !(shown instanceof HTMLElement)) return
    // Only the list scrolls: the page itself stays where it is.
    box.scrollTop = shown.offsetTop - (box.clientHeight - shown.offsetHeight) / 2
  }, [shownIndex, sentences])
  return (
    <ol class="sentences" ref={list}>
      {sentences.map((sentence, index) => (
        <li key={`${sentence.number} ${sentence.text}`}>
          <button
            type="button"
            data-arrow-keys
            data-tone={sentence.tone}
            aria-current={index === shownIndex ? "step" : undefined}
            onClick={() => show(index)}
          >
            <time>{clockText(sentence.atMillis)}</time> <span>{sentenceText(sentence)}</span>
          </button>
        </li>
      ))}
    </ol>
  )
})
