from rankprism.trec_eval.command import main

if __name__ == "__main__":
    main()
