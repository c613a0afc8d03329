"""A neighbour that keeps one core busy."""


def main() -> None:
    number = 0
    while True:
        number = (number * 31 + 7) % 1_000_003


if __name__ == "__main__":
    main()
