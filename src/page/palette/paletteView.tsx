import { matchCommands } from "./matchCommands.ts"
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import type { TargetedKeyboardEvent } from "preact"
import { pageCommands } from "./pageCommands.ts"
import type { UserControls } from "../keyboard.ts"
import type { PageState } from "../pageState.ts"
import type { PaletteCommand } from "./matchCommands.ts"

const commandsShownMax = 12

interface PaletteProps {
  readonly state: PageState
  readonly controls: UserControls
  readonly close: () => void
}

export const PaletteView = ({ state, controls, close }: PaletteProps) => {
  const allCommands = useMemo(() => pageCommands(state, controls), [])
  const [query, setQuery] = useState("")
  const [chosenIndex, setChosenIndex] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  // A key may be pressed as soon as the palette is visible.
  useLayoutEffect(() => {
    const before = document.activeElement
    input.current?.focus()
    return () => before instanceof HTMLElement && before.focus()
  }, [])
  const matchingCommands = matchCommands(allCommands, query)
  const shownCommands = matchingCommands.slice(0, commandsShownMax)
  const run = (command: PaletteCommand | undefined): void => {
    if (command === undefined) return
    close()
    command.run()
  }
  // Keys may come faster than the list is drawn.
  const runChosen = (typed: string): void => {
    if (typed === query) run(shownCommands[chosenIndex])
    else run(matchCommands(allCommands, typed)[0])
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.key === "ArrowDown") setChosenIndex(Math.min(shownCommands.length - 1, chosenIndex + 1))
    else if (event.key === "ArrowUp") setChosenIndex(Math.max(0, chosenIndex - 1))
    else if (event.key === "Enter") runChosen(event.currentTarget.value)
    else if (event.key === "Escape") close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class="backdrop" onPointerDown={(event) => event.target === event.currentTarget && close()}>
      <div class="palette" role="dialog" aria-modal="true" aria-label="Commands">
        <input
          ref={input}
          role="combobox"
          aria-label="Command or object"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={shownCommands.length === 0 ? undefined : `palette-${chosenIndex}`}
          placeholder="What to do, or where to go"
          spellcheck={false}
          value={query}
          onInput={({ currentTarget }) => {
            setQuery(currentTarget.value)
            setChosenIndex(0)
          }}
          onKeyDown={onKeyDown}
          onBlur={close}
        />
        <ul id="palette-list" role="listbox" aria-label="Commands">
          {shownCommands.map(({ label, keys }, index) => (
            <li
              key={label}
              id={`palette-${index}`}
              role="option"
              aria-selected={index === chosenIndex}
              // The input keeps the focus until the command is run.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => run(shownCommands[index])}
            >
              <span>{label}</span>
              {keys !== undefined && <kbd>{keys}</kbd>}
            </li>
          ))}
        </ul>
        <p class="quiet" role="status">
          {matchingCommands.length === 0
            ? "Nothing here has these words."
            : matchingCommands.length > commandsShownMax
              ? `${matchingCommands.length - commandsShownMax} more`
              : ""}
        </p>
      </div>
    </div>
  )
}
